import { describe, expect, it } from 'vitest';
import { compile, compileExpression, Float, isTemplate, scopeOf, TemplateError } from './index.ts';

const host = { now: () => Date.UTC(2026, 10, 5, 8, 7, 6, 123), random: () => 0 };
const values = { n: 7, s: 'x', xs: [1, 2], o: { a: 1 }, json: '[1]', step: { rows: [1] }, odd: { data: 5 } };
const scope = scopeOf(values);

const run = (source: string): unknown => compile(source).template!.evaluate(scope, host);

describe('evaluate', () => {
  const check = (source: string, expected: unknown): void => {
    it(JSON.stringify(source), () => expect(run(source)).toEqual(expected));
  };
  check('plain\n', 'plain\n');
  check('12', '12');
  check('{{ n }}', 7);
  check(' {{ n }}\n', 7);
  check('{{- n -}}', 7);
  check('{{ 4 / 2 }}', new Float(2));
  check('{{ n }}.0', new Float(7));
  check('{{ "[1.0, -2.0, 1]" }}{{ "" }}', [new Float(1), new Float(-2), 1]);
  check('{{ 10 ** 20 }}', 10n ** 20n);
  check('{{ (10 ** 20) // 10 ** 19 }}', 10);
  check('{{ (1, 2) }}', [1, 2]);
  check('{{ range(3) }}', [0, 1, 2]);
  check('{{ o.keys() }}', ['a']);
  check("{{ {'a': {1: none}} }}", { a: { 1: null } });
  check('{{ s }}{{ n }}', 'x7');
  check('{{ n }}{{ n }}', 77);
  check('-{{ n }}.5', -7.5);
  check('0{{ n }}', '07');
  check('+{{ n }}', '+7');
  check('{{ n }}{{ 10 ** 20 }}', 7_100_000_000_000_000_000_000n);
  check('{% if n %}True{% endif %}', true);
  check('{% if n %} none {% endif %}', ' none ');
  check('{% if n %}None{% endif %}', null);
  check('[{{ n }}, {{ s | tojson }}]', '[7, "x"]');
  check("[{{ n }}, 'x', None, -1.5]", [7, 'x', null, -1.5]);
  check('{"a": {{ n }}}', { a: 7 });
  check("{'a': {{ xs }}}", { a: [1, 2] });
  check("'{{ s }}'", "'x'");
  check('[{{ s }}]', '[x]');
  check('{{ xs | tojson }}', '[1, 2]');
  check('{{ json }}{# text #}', [1]);
  check('{{ json }}', '[1]');
  check('{{ now() }}', '2026-11-05T08:07:06.123000+00:00');
  check("{{ now().strftime('%Y-%m-%d %H:%M:%S %j %a %b %-d %%') }}", '2026-11-05 08:07:06 309 Thu Nov 5 %');
  check('{{ now().year }}', 2026);
  check('{{ now().timestamp() }}', 1793866026.123);
  check('{{ xs | random }}', 1);
  check("{{ 'inf' | float > n }}", true);
  check('{{ 123456789012345678 / 1000 }}', 123456789012345.67);
  check('{{ 9007199254740994 / 3 * 2 > 0 and 10**400 / 10**399 == 10 }}', true);
  check('{{ 10 ** -5 }}', 1e-5);
  const OF_ONE_ROUND =
    '{% macro m() %}{{ i }}{% endmacro %}{% if loop.first %}{% set kept.m = m %}{% endif %}';
  const before = '{% set kept = namespace() %}';
  check(`${before}{% for i in [7, 8] %}${OF_ONE_ROUND}{% endfor %}{{ kept.m() }}`, 7);
  check(
    `${before}{% for i in [7, 8] %}{% with j = i %}${OF_ONE_ROUND}{% endwith %}{% endfor %}{{ kept.m() }}`,
    7,
  );
  check(
    `${before}{% for i in [7, 8] %}{% for j in [1] recursive %}{{ i if j == 2 }}{% if i == 7 %}{% set kept.m = loop %}{% endif %}{% endfor %}{% endfor %}{{ kept.m([2]) }}`,
    7,
  );
  it('draws nothing if its host provides no random numbers', () =>
    expect(() => compile('{{ xs | random }}').template!.evaluate(scope, { now: host.now })).toThrow(
      'random is not available to this template',
    ));
  it('refuses ranges too long for a number', () =>
    expect(() => run('{{ range(2**60, 2**60 + 3) }}')).toThrow(/within ±\(2\*\*53 - 1\)/));

  it('returns values of the scope by reference', () => expect(run('{{ xs }}')).toBe(values.xs));
  it.each(['[{{ 1 }}e400]', '[{{ 1 }}e400, null]', "{'a': ({{ 1 }}e400,)}", '-{{ 1 }}e400'])(
    'refuses %s, a value that is not finite',
    (source) => expect(() => run(source)).toThrow(/a number that is too large for a float/),
  );
  it('keeps text that is not a value', () => {
    expect(run('[{{ 1 }}e400, x]')).toBe('[1e400, x]');
    expect(run('[{{ s }}, NaN]')).toBe('[x, NaN]');
    expect(run("{{ 1 ~ 'e400' }}")).toBe('1e400');
  });
  it('does not write as JSON what JSON cannot represent', () =>
    expect(() => run("{{ [1, 'nan' | float] | tojson }}")).toThrow(/nan cannot be written as JSON/));
  it('reads data from JSON text', () =>
    expect(run("{{ '[NaN, 1e400]' | from_json }}")).toEqual([null, null]));

  it('refuses to return functions', () => expect(() => run('{{ range }}')).toThrow(/cannot be the value/));
});

describe('results of steps', () => {
  const results = { get: scope.get, isResult: (name: string) => name !== 'o' };
  const check = (source: string, expected: unknown): void => {
    it(source, () => expect(compile(source).template!.evaluate(results, host)).toEqual(expected));
  };
  check('{{ step.rows }}', [1]);
  check('{{ step.data.rows }}', [1]);
  check("{{ step['result'].rows[0] }}", 1);
  check('{{ odd.data }}', 5);
  check('{{ odd.result.data }}', 5);
  check('{{ n.result }}', 7);
  check('{{ o.data is defined }}', false);
  check('{{ nosuch.data is defined }}', false);
});

describe('what a template says about itself', () => {
  const check = (source: string, kind: string, names: string[], paths: string[]): void => {
    it(source, () => {
      const template = compile(source).template!;
      expect([template.kind, [...template.names].sort(), [...template.paths.keys()].sort()]).toEqual([
        kind,
        names,
        paths,
      ]);
    });
  };
  check('text', 'literal', [], []);
  check('{{ a }}', 'lone', ['a'], ['a']);
  check('{{ a }} {# c #}', 'text', ['a'], ['a']);
  check('x {{ outcome.status }}', 'text', ['outcome'], ['outcome.status']);
  check("{{ keychain['pg'].password == a[0] }}", 'lone', ['a', 'keychain'], ['a.0', 'keychain.pg.password']);
  check('{{ a[b.c].d }}', 'lone', ['a', 'b'], ['b.c']);
  check('{{ a.b.items() | map(c) }}', 'lone', ['a', 'c'], ['a.b', 'c']);
  check('{{ range(now().year) }}', 'lone', [], []);
  check('{{ größe + abé + é1 }}', 'lone', ['abé', 'größe', 'é1'], ['abé', 'größe', 'é1']);
  check(
    '{% for x in a.b %}{{ x.c ~ loop.index ~ y }}{% endfor %}{{ x }}',
    'text',
    ['a', 'x', 'y'],
    ['a.b', 'x', 'y'],
  );
  check('{% set x = x + 1 %}{{ x }}', 'text', ['x'], ['x']);
  check('{% set x = 1 %}{{ x }}', 'text', [], []);
  check('{% if a %}{% set x = 1 %}{% endif %}{{ x }}', 'text', ['a', 'x'], ['a', 'x']);
  check(
    '{% macro m(p) %}{{ p }}{{ q.r }}{{ varargs }}{% endmacro %}{{ m(z) }}',
    'text',
    ['q', 'z'],
    ['q.r', 'z'],
  );

  it('isTemplate is cheap', () => {
    expect(['a {{', '{% x', '{#', '{ {', ''].map(isTemplate)).toEqual([true, true, true, false, false]);
  });
  it('compiling is memoised', () => expect(compile('{{ memo }}')).toBe(compile('{{ memo }}')));
  it('a bare expression is lone', () => {
    const template = compileExpression("n > 5 and s == 'x'").template!;
    expect([template.kind, template.test(scope, host)]).toEqual(['lone', true]);
  });
});

describe('compilation errors', () => {
  const check = (source: string, code: string, line: number, column: number, hint?: string): void => {
    it(JSON.stringify(source), () => {
      const [error] = compile(source).errors;
      expect([error?.code, error?.line, error?.column, error?.hint]).toEqual([code, line, column, hint]);
    });
  };
  check('a\n{{ 1 + }}', 'expr/syntax', 2, 8);
  check('{{ a | uper }}', 'expr/unknown-filter', 1, 4, 'did you mean "upper"?');
  check('{{ a is defind }}', 'expr/unknown-test', 1, 4, 'did you mean "defined"?');
  check('{% fro x in a %}', 'expr/syntax', 1, 4, 'did you mean "for"?');
  check("{% include 'x' %}", 'expr/unsupported', 1, 4, 'a template cannot load other templates');
  check('x {{ a', 'expr/syntax', 1, 3, 'close it with }}');
  check("{{ 'a }}", 'expr/syntax', 1, 4, "close it with '");
  check('{% if a %}', 'expr/syntax', 1, 4, 'add {% endif %}');
  check('{{ a ) }}', 'expr/syntax', 1, 6);
  check("{{ 'a' | replace('b') }}", 'expr/type', 1, 4);
  check("{{ 'a' | center(wdth=3) }}", 'expr/type', 1, 4, 'did you mean "width"?');
});

describe('evaluation errors', () => {
  const check = (source: string, code: string, expression: string): void => {
    it(source, () => {
      try {
        run(source);
      } catch (error) {
        expect(error).toBeInstanceOf(TemplateError);
        const { code: got, expression: written } = error as TemplateError;
        expect([got, written]).toEqual([code, expression]);
        return;
      }
      throw new Error('it did not fail');
    });
  };
  check("a {{ n + 's' }}", 'expr/type', "n + 's'");
  check('{{ 1 + (n / 0) }}', 'expr/value', 'n / 0');
  check('{{ s | upper | round }}', 'expr/type', 's | upper | round');
  check('{{ s.nosuch() }}', 'expr/type', 's.nosuch');
  check("{{ n < 's' }}", 'expr/type', "n < 's'");
  check('{{ n() }}', 'expr/type', 'n()');
});

describe('what a template needs, with its position', () => {
  const check = (source: string, ...expected: string[]): void => {
    it(source, () => {
      const { reads } = compile(source).template!;
      expect(reads.map(({ path, start, end }) => `${path.join('.')} @ ${source.slice(start, end)}`)).toEqual(
        expected.map((each) => (each.includes('@') ? each : `${each} @ ${each}`)),
      );
    });
  };
  check('text');
  check('a {{ b.c }} {{ d }}', 'b.c', 'd');
  check("{{ keychain['pg'].password }}", "keychain.pg.password @ keychain['pg'].password");
  check('{{ a.b[0].c }}', 'a.b');
  check('{{ a[b.c].d }}', 'a', 'b.c');
  check('{{ a.b.items() }}', 'a.b');
  check('{{ range(now().year) | length }}');
  check('{{ a.b | default(c) }}', 'c');
  check('{{ a.b if a.b is defined else c }}', 'c');
  check('{{ a is defined and a.b.c }}');
  check('{% if a %}{% set x = 1 %}{% endif %}{{ x }}', 'a');
  check('{% for x in a.b %}{{ x.c ~ loop.index }}{% endfor %}', 'a.b');
  check('{% macro m(p) %}{{ p ~ q }}{% endmacro %}{{ m(z) }}', 'q', 'z');
});

describe('the truth of a guard if only event.name is known', () => {
  const check = (guard: string, expected: boolean | undefined): void => {
    it(guard, () => {
      const known = new Map([['event.name', 'step.done']]);
      expect(compile(`{{ ${guard} }}`).template!.testKnown(known)).toBe(expected);
    });
  };
  check('true', true);
  check("event.name == 'step.done'", true);
  check("'step.done' == event['name']", true);
  check("event.name != 'step.done'", false);
  check("event.name in ['loop.done', 'step.failed']", false);
  check("event.name not in ['loop.done', 'step.failed']", true);
  check("'done' in event.name", true);
  check("event.name == 'loop.done' and ctx.x", false);
  check("ctx.x and event.name == 'step.done'", undefined);
  check("not (ctx.x or event.name == 'step.done')", false);
  check("event.name | upper == 'STEP.DONE'", undefined);
  check('ctx.x', undefined);
});
