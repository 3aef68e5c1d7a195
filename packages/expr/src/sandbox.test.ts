import { describe, expect, it } from 'vitest';
import { compile, scopeOf, TemplateError } from './index.ts';

const host = { now: () => 0 };
const values = () => ({
  o: { a: 1 },
  xs: [1],
  s: 'abc',
  own: JSON.parse('{"__proto__": "own", "constructor": "mine", "toString": "text"}') as unknown,
  f: () => 'called',
  holder: { f: () => 'called' },
});

function result(source: string, scope: Record<string, unknown> = values()): unknown {
  const { template, errors } = compile(source);
  if (!template) return errors[0]!.code;
  try {
    return template.evaluate(scopeOf(scope), host);
  } catch (error) {
    if (error instanceof TemplateError) return error.code;
    throw error;
  }
}

const check = (source: string, expected: unknown): void => {
  it(source, () => expect(result(source)).toEqual(expected));
};

describe('JavaScript is out of reach', () => {
  const names = [
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'valueOf',
    'hasOwnProperty',
    '__class__',
    '__defineGetter__',
  ];
  for (const name of names) {
    for (const object of [
      'o',
      'xs',
      's',
      '1',
      'true',
      '{}',
      '[]',
      '(1,)',
      "'x'",
      'range',
      'now()',
      'namespace()',
      'range(3)',
      'cycler(1)',
    ]) {
      check(`{{ (${object}).${name} is defined }}`, false);
      check(`{{ (${object})['${name}'] is defined }}`, false);
      check(`{{ (${object}) | attr('${name}') is defined }}`, false);
    }
    check(`{{ ${name} is defined }}`, false);
    check(`{{ o.${name}() }}`, 'expr/undefined');
    check(`{{ [o] | map(attribute='${name}') | select('defined') | list }}`, []);
    check(`{{ 1 | ${name} }}`, 'expr/unknown-filter');
    check(`{{ 1 is ${name} }}`, 'expr/unknown-test');
    check(`{{ '{0.${name}}'.format(o) }}`, 'expr/undefined');
    check(`{{ '%(${name})s' % o }}`, 'expr/value');
  }
  for (const name of ['process', 'globalThis', 'Function', 'require', 'eval', 'self', 'window'])
    check(`{{ ${name} is defined }}`, false);
  check('{{ xs.length is defined }}', false);
  check("{{ xs['length'] is defined }}", false);
  check('{{ xs.map(1) }}', 'expr/type');
  check('{{ f is defined }}', false);
  check('{{ holder.f is defined }}', false);
  check('{{ holder.f() }}', 'expr/undefined');
  check('{% macro m() %}{% endmacro %}{{ m.call is defined }}', false);
  check('{% for x in xs %}{{ loop.constructor is defined }}{% endfor %}', false);
});

describe('own keys work, whatever their names', () => {
  check('{{ own.constructor }}', 'mine');
  check("{{ own['__proto__'] }}", 'own');
  check('{{ own.toString }}', 'text');
  check('{{ o.a }}', 1);
  check('{{ xs[0] }}', 1);
  check('{{ xs.index(1) }}', 0);
});

describe('keys that a template creates are own keys', () => {
  it('__proto__ is a key like any other', () => {
    const made = result("{{ {'__proto__': {'polluted': 1}, 'constructor': 2} }}") as Record<string, unknown>;
    expect(Object.keys(made)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
  it('also through dict, update, from_json and a text that is a literal', () => {
    for (const source of [
      "{{ dict([('__proto__', 1)]) }}",
      "{% set d = {} %}{% do d.update({'__proto__': 1}) %}{{ d }}",
      `{{ '{"__proto__": 1}' | from_json }}`,
      "{'__proto__': {{ 1 }}}",
    ]) {
      expect(Object.hasOwn(result(source) as object, '__proto__')).toBe(true);
    }
  });
});

describe('values of the scope are never changed', () => {
  for (const change of [
    'xs.append(2)',
    'xs.clear()',
    'xs.sort()',
    'xs.pop()',
    "o.update({'b': 2})",
    "o.pop('a')",
    'o.clear()',
  ]) {
    it(change, () => {
      const scope = values();
      expect(result(`{% do ${change} %}`, scope)).toBe('expr/type');
      expect([scope.xs, scope.o]).toEqual([[1], { a: 1 }]);
    });
  }
  check('{% set mine = xs | list %}{% do mine.append(2) %}{{ mine }}', [1, 2]);
  check('{% set mine = dict(o) %}{% do mine.update(b=2) %}{{ mine }}', { a: 1, b: 2 });
  check('{% set mine = xs | list %}{% do mine.append(2) %}{{ xs }}', [1]);
});
