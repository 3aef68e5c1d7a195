import { describe, expect, it } from 'vitest';
import { compile, scopeOf, TemplateError } from './index.ts';

const host = { now: () => 0 };
const values = {
  fetch: { data: { item: 1, name: 'x' } },
  ref: { store: 'file', key: 'k', checksum: 'c', size: 9, schema_hint: null },
  xs: [{ a: 1 }, {}],
  none: null,
};

function failure(source: string): TemplateError {
  const template = compile(source).template!;
  try {
    template.evaluate(scopeOf(values), host);
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error(`${source} did not fail`);
}

const value = (source: string): unknown => compile(source).template!.evaluate(scopeOf(values), host);

describe('a missing value is falsy if it is tested', () => {
  const check = (source: string, expected: unknown): void => {
    it(source, () => expect(value(source)).toEqual(expected));
  };
  check('{{ a.b.c is defined }}', false);
  check('{{ fetch.zz.y[0].q is undefined }}', true);
  check('{{ not a }}', true);
  check('{{ a or 1 }}', 1);
  check('{{ a < 1 }}', false);
  check('{{ 1 >= a }}', false);
  check('{{ a == 1 }}', false);
  check('{{ a == b }}', false);
  check('{{ a != 1 }}', true);
  check('{{ a in [1] }}', false);
  check('{{ 1 in a }}', false);
  check('{{ 1 not in a }}', true);
  check('{{ a is none }}', false);
  check('{{ a is even }}', false);
  check('{{ a is ne 1 }}', true);
  check('{{ 1 if a else 2 }}', 2);
  check('{{ a | default(3) }}', 3);
  check('{{ a.b | d }}', '');
  check('{% if a %}1{% else %}2{% endif %}', 2);
  check("{{ xs | map(attribute='a') | select('defined') | list }}", [1]);
  check('{{ [a, 1] | length }}', 2);
  check("{{ fetch['data'][a] is defined }}", false);
  check('x{{ 1 if a }}y', 'xy');
});

describe('a missing value is an error if a value is needed', () => {
  const check = (source: string, expression: string, column: number): void => {
    it(source, () => {
      const error = failure(source);
      expect([error.code, error.expression, error.line, error.column]).toEqual([
        'expr/undefined',
        expression,
        1,
        column,
      ]);
    });
  };
  check('{{ nosuch }}', 'nosuch', 4);
  check('text {{ fetch.data.items }}', 'fetch.data.items', 9);
  check('{{ fetch.zz.items }}', 'fetch.zz.items', 4);
  check("{{ fetch['zz'] }}", "fetch['zz']", 4);
  check('{{ 1 + nosuch.x }}', 'nosuch.x', 8);
  check("{{ 'a' ~ nosuch }}", 'nosuch', 10);
  check('{{ nosuch | upper }}', 'nosuch', 4);
  check("{{ 'a' | replace('a', nosuch) }}", 'nosuch', 23);
  check('{{ range(nosuch) }}', 'nosuch', 10);
  check('{{ nosuch() }}', 'nosuch', 4);
  check('{{ nosuch.upper() }}', 'nosuch', 4);
  check('{{ [1, nosuch] }}', 'nosuch', 8);
  check("{{ {'a': [nosuch]} }}", 'nosuch', 11);
  check('{% for x in nosuch %}{% endfor %}', 'nosuch', 13);
  check('{{ 1 if none }}', '1 if none', 4);
  check('{{ -nosuch }}', 'nosuch', 5);
});

describe('the error helps', () => {
  it('points to the line', () => {
    const error = failure('one\n\n  {{ fetch.data.nme }}');
    expect([error.line, error.column, error.hint]).toEqual([3, 6, 'did you mean "name"?']);
    expect(error.message).toBe('"fetch.data.nme" is undefined: "fetch.data" (dict) has no "nme"');
  });
  it('names a similar key, or the existing keys', () => {
    expect(failure('{{ fetch.data.items }}').hint).toBe('did you mean "item"?');
    expect(failure('{{ fetch.data.completely_else }}').hint).toBe('it has item, name');
  });
});

describe('test', () => {
  const holds = (source: string): boolean => compile(source).template!.test(scopeOf(values), host);
  it('treats a missing value as false', () => {
    expect(holds('{{ nosuch }}')).toBe(false);
    expect(holds('{{ nosuch.a > 3 }}')).toBe(false);
    expect(() => holds('{{ nosuch + 1 }}')).toThrow(TemplateError);
  });
  it('treats words that say no as false', () => {
    for (const text of ['', ' No ', 'none', 'NULL', 'off', 'False', '0', ' 0\n', '{}', '[]'])
      expect(holds(`{{ ${JSON.stringify(text)} }}`)).toBe(false);
    for (const text of [
      '{{ 0 }}',
      '{{ 0.0 }}',
      '{{ [] }}',
      '{{ {} }}',
      '{{ none }}',
      'false',
      '{% if 1 %}0{% endif %}',
    ]) {
      expect(holds(text)).toBe(false);
    }
    for (const text of [
      'yes',
      '{{ 1 }}',
      "{{ 'x' }}",
      '{{ [0] }}',
      '{{ fetch }}',
      "{{ 'nope' }}",
      "{{ '00' }}",
    ])
      expect(holds(text)).toBe(true);
  });
});
