import { describe, expect, it } from 'vitest';
import { compile, compileExpression, scopeOf, TemplateError } from './index.ts';

const host = { now: () => 0 };

/** The code of the error that ends this template, at compile time or run time; 'none' if there is none. */
function ends(source: string, fuel?: number): string {
  const { template, errors } = compile(source);
  if (!template) return errors[0]!.code;
  try {
    template.evaluate(scopeOf({ s: 'abc', xs: [1, 2, 3] }), fuel === undefined ? host : { ...host, fuel });
    return 'none';
  } catch (error) {
    if (error instanceof TemplateError) return error.code;
    throw error;
  }
}

const check = (source: string, code = 'expr/fuel'): void => {
  it(source.length > 80 ? `${source.slice(0, 77)}…` : source, () => expect(ends(source)).toBe(code));
};

describe('values that would grow too large', () => {
  check('{{ range(10**9) | list }}');
  check('{% for x in range(10**9) %}{% endfor %}');
  check('{{ range(10**9) | sum }}');
  check("{{ 'a' * 10**9 }}");
  check('{{ [0] * 10**9 }}');
  check('{{ (0,) * 10**15 }}');
  check("{% set s = 'a' * 10**6 %}{% for i in range(30) %}{{ s ~ s ~ s }}{% endfor %}");
  check("{% set ns = namespace(s='a') %}{% for i in range(60) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}");
  check('{% set ns = namespace(s=[0]) %}{% for i in range(60) %}{% set ns.s = ns.s + ns.s %}{% endfor %}');
  check(
    '{% set ns = namespace(s=[0]) %}{% for i in range(60) %}{% set ns.s = [ns.s, ns.s] %}{% endfor %}{{ ns.s }}',
  );
  check(
    '{% set ns = namespace(s=[0]) %}{% for i in range(60) %}{% set ns.s = [ns.s, ns.s] %}{% endfor %}{{ ns.s == ns.s[0] or ns.s | tojson }}',
  );
  check('{{ 10**(10**10) }}');
  check('{{ 2 ** (10**6) }}');
  check('{% set ns = namespace(n=10) %}{% for i in range(60) %}{% set ns.n = ns.n * ns.n %}{% endfor %}');
  check('{{ s | center(10**9) }}');
  check('{{ s.center(10**9) }}');
  check("{{ s.ljust(10**9, '.') }}");
  check('{{ s.zfill(10**9) }}');
  check("{{ '%0999999999d' % 1 }}");
  check("{{ '%*d' % (10**9, 1) }}");
  check("{{ '%.999999999d' % 1 }}");
  check("{{ '{:>999999999}'.format(1) }}");
  check("{{ '%.999999999f' % 1 }}", 'expr/value');
  check("{{ '{:.999999999}'.format(1.5) }}", 'expr/value');
  check('{{ s | indent(10**9) }}');
  check("{{ ('a' * 100000) | replace('a', 'b' * 100000) }}");
  check("{{ ('a' * 100000) | replace('', 'b' * 100000) }}");
  check("{{ ('a' * 100000).replace('', 'b' * 100000) }}");
  check("{{ (range(100000) | list) | join('b' * 100000) }}");
  check("{{ ('b' * 100000).join('a' * 100000) }}");
  check('{{ xs | batch(10**9, 0) | list }}');
  check('{{ xs | slice(10**9) | list }}');
  check("{{ ('\\t' * 100000).expandtabs(10**6) }}");
  check("{{ ('a\\n' * 100000) | indent(1000) }}");
  check("{{ ('a ' * 100000) | wordwrap(1, true, 'b' * 100000) }}");
  check("{{ ('http://a.org ' * 10000) | urlize(rel='x' * 10000) }}");
});

describe('work that would take too long', () => {
  check(
    '{% for a in range(2000) %}{% for b in range(2000) %}{% for c in range(2000) %}{% endfor %}{% endfor %}{% endfor %}',
  );
  check('{% for a in range(5000) %}{% if a in range(5000) %}{% endif %}{% endfor %}');
  check('{% set big = range(100000) | list %}{% for i in range(1000) %}{% set x = big | sort %}{% endfor %}');
  check('{% set big = range(100000) | list %}{% for i in range(1000) %}{% set x = big[::-1] %}{% endfor %}');
  check("{% set big = 'a' * 1000000 %}{% for i in range(100000) %}{% set x = 'b' in big %}{% endfor %}");
  check("{% set big = 'a' * 1000000 %}{% for i in range(100000) %}{% set x = big | upper %}{% endfor %}");
  check("{% set big = 'a' * 1000000 %}{% for i in range(100000) %}{% set x = big.count('b') %}{% endfor %}");
  check("{% set big = 'a' * 1000000 %}{% for i in range(100000) %}{% set x = big | length %}{% endfor %}");
  check("{% set big = 'a' * 1000000 %}{% for i in range(100000) %}{% set x = big == big ~ '' %}{% endfor %}");
  for (const work of ['big.swapcase()', 'big.title()', 'big | title', 'big | reverse', 'big | striptags'])
    check(`{% set big = 'ab c' * 250000 %}{% for i in range(100) %}{% set x = ${work} %}{% endfor %}`);
  check('{% set a = [0] * 50000 %}{% for i in range(1000) %}{% set x = a < a + [1] %}{% endfor %}');
  check(
    '{% set big = range(50000) | list %}{% for i in range(1000) %}{% set x = big | batch(1) %}{% endfor %}',
  );
  check('{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}');
  check('{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}');
  check('{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}');
  check('{% set l = [] %}{% do l.append(l) %}{{ l }}');
  check('{% set l = [] %}{% do l.append(l) %}{% set m = [] %}{% do m.append(m) %}{{ l == m }}');
  check('{% set l = [] %}{% do l.append(l) %}{{ l | tojson }}');
  it('a value that contains itself cannot leave', () => {
    expect(ends('{% set ns = namespace(l=[]) %}{% do ns.l.append(ns.l) %}{{ ns.l | pprint }}')).toBe(
      'expr/fuel',
    );
  });
});

describe('patterns that backtrack and values that share', () => {
  check("{{ ('a' * 500000) | wordwrap(1) }}");
  check("{{ ('1' * 300000 ~ 'x') | float }}", 'none');
  check("{{ ('1_' * 300000 ~ 'x') | float }}", 'none');
  check("{{ ('<' * 500000) | striptags | length }}", 'none');
  check("{{ ('<!--' * 200000) | striptags | length }}", 'none');
  check("{{ ('a@' ~ 'a.' * 200000 ~ '!') | urlize | length }}", 'none');
  check("{{ ('http://' ~ '.-' * 200000) | urlize | length }}", 'none');
  check("{{ ('a-' * 200000) | wordwrap(100000) | length }}", 'none');
  check("{{ ('a' ~ '-' * 300000) | wordwrap(400000) | length }}", 'none');
  check("{{ '%(' * 300000 % {} }}", 'expr/value');
  check("{{ ('{' * 300000).format(1) | length }}", 'none');
  check("{{ ('{0' * 300000).format(1) }}", 'expr/value');
  check(
    '{% set ns = namespace(t=()) %}{% for i in range(60) %}{% set ns.t = (ns.t, ns.t) %}{% endfor %}{{ {ns.t: 1} }}',
  );
  check(
    '{% set ns = namespace(t=()) %}{% for i in range(60) %}{% set ns.t = (ns.t, ns.t) %}{% endfor %}{{ ns.t in {} }}',
  );
  check(
    '{% set ns = namespace(t=()) %}{% for i in range(9000) %}{% set ns.t = (ns.t,) %}{% endfor %}{{ ns.t }}',
  );
  check('{% set n = 3 ** 4000 %}{% for i in range(500000) %}{% set x = n * n %}{% endfor %}');
});

describe('source that nests too deeply or is hostile', () => {
  const deep = 100_000;
  check(`{{ ${'('.repeat(deep)}1${')'.repeat(deep)} }}`);
  check(`{{ ${'['.repeat(deep)}${']'.repeat(deep)} }}`);
  check(`{{ ${'not '.repeat(deep)}1 }}`);
  check(`{{ ${'-'.repeat(deep)}1 }}`);
  check(`{{ 1${' + 1'.repeat(deep)} }}`);
  check(`{{ a${'.b'.repeat(deep)} }}`);
  check(`{{ a${'|upper'.repeat(deep)} }}`);
  check(`{{ ${'1 if 1 else '.repeat(deep)}1 }}`);
  check(`${'{% if 1 %}'.repeat(deep)}${'{% endif %}'.repeat(deep)}`);
  check(`{{ ${'{1:'.repeat(deep)}1${'}'.repeat(deep)} }}`);
  check(`{{ a${'[0]'.repeat(deep)} }}`);
  check(`{% for ${'('.repeat(deep)}x${')'.repeat(deep)} in xs %}{% endfor %}`);
  check('{{'.repeat(deep));
  check('{#'.repeat(deep), 'expr/syntax');
  check('{% raw %}'.repeat(deep), 'expr/syntax');
  check(`{{ '${'\\\\'.repeat(deep)}`, 'expr/syntax');
  check(`{{ ${'9'.repeat(deep)} }}`, 'expr/syntax');
  check(`{{ 1${' ~ 1'.repeat(1000)} }}`, 'none');
  check(`{{ ${'('.repeat(50)}1${')'.repeat(50)} }}`, 'none');
  check(`{{ 1${' + 1'.repeat(500)} }}`, 'none');
  it('a bare expression too', () => {
    expect(compileExpression('('.repeat(deep)).errors[0]!.code).toBe('expr/fuel');
  });
});

describe('the budget', () => {
  it('is set by the host', () => {
    const source = '{% for x in range(100) %}{{ x }}{% endfor %}';
    expect(ends(source)).toBe('none');
    expect(ends(source, 50)).toBe('expr/fuel');
  });
  it('starts over with each evaluation', () => {
    for (let round = 0; round < 5; round++)
      expect(ends('{% for x in range(300000) %}{% endfor %}')).toBe('none');
  });
});
