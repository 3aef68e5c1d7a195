import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hintOf } from './hint.ts';
import { compile, type Host, isHandle, isReference, type Reference, scopeOf, settled } from './index.ts';

/** A store of values that counts how often it is read. */
class Store {
  private readonly values = new Map<string, unknown>();
  loads = 0;

  put = (value: unknown): Reference => {
    const key = String(this.values.size).padStart(64, '0');
    this.values.set(key, value);
    return {
      store: 'file',
      key,
      checksum: `sha256:${key}`,
      size: JSON.stringify(value).length,
      schema_hint: hintOf(value) as never,
    };
  };

  load = (reference: Reference): unknown => {
    this.loads++;
    if (!this.values.has(reference.key)) throw new Error('it is gone');
    return this.values.get(reference.key);
  };

  readonly host: Host = { now: () => 0, load: this.load, store: this.put, random: () => 0 };
}

type Choice = () => boolean;

/** The value, with some of its parts moved to the store. */
function stored(value: unknown, store: Store, isPut: Choice): unknown {
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' && isPut() ? store.put(value) : value;
  const parts = Array.isArray(value)
    ? value.map((item) => stored(item, store, isPut))
    : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, stored(item, store, isPut)]));
  return isPut() ? store.put(parts) : parts;
}

const TEMPLATES = [
  '{{ a }}',
  '{{ a.n }}',
  '{{ a.list[0] }} and {{ a.list[-1].n }}',
  "{{ a['list'] | length }}",
  '{{ a | length }} {{ a.list | count }} {{ a.map | length }}',
  '{{ a.list == b.list }}{{ a == b }}{{ a.n == b }}',
  '{{ a.list + b.list }}',
  '{{ a.list[1:] }}',
  '{{ [a, b.n, a.list] }}',
  "{{ {'x': a.map, 'y': b} }}",
  '{{ a.list | map(attribute="n") | list }}',
  '{{ a.list | selectattr("n", "defined") | list | length }}',
  '{{ a | tojson }}',
  '{{ a.text ~ b.text }}',
  '{{ a.text | upper }}{{ a.text.strip() }}',
  '{{ (a.list or b.list) | first }}',
  '{{ a.map if a.list else b.map }}',
  '{{ not a.list }}{{ not a.text }}{{ a.list and 1 }}',
  '{{ a.n in a.list }}{{ "n" in a }}{{ a in b.list }}',
  '{% for item in a.list %}{{ loop.index }}:{{ item }},{% else %}none{% endfor %}',
  '{% for key, item in a.map.items() %}{{ key }}={{ item }};{% endfor %}',
  '{% set x = a.map %}{{ x.n }}{{ x | length }}',
  '{% set x, y = [a, b] %}{{ x.n }}{{ y.n }}',
  '{% if a.list %}yes{% elif a.map %}map{% else %}no{% endif %}',
  '{% macro show(x) %}<{{ x.n }}>{% endmacro %}{{ show(a) }}{{ show(b.map) }}',
  '{% set ns = namespace(x=a) %}{% set ns.x = b.list %}{{ ns.x }}',
  '{{ a.get("n") }}{{ a.keys() | list }}{{ a.map.values() | list }}',
  '{{ a.missing is defined }}{{ a.n is defined }}{{ b is mapping }}{{ a.list is iterable }}',
  '{{ a.missing | default(b.list) }}',
  '{{ a.map | default({}, true) }}',
  '{{ a.list | sum(attribute="n") if a.list else 0 }}',
  '{{ a.missing }}',
  '{{ a.map.n.missing.more }}',
  '{{ "%s" | format(a.text) }}{{ "{0[n]}".format(a) }}',
  '{{ (a | load).n }}{{ a.list | load | length }}',
  '{{ (a | ref | load) == a }}',
  '{{ range(a.n) | list }}',
  '{{ a.data }}{{ a.result }}',
];

const leaf = fc.oneof(
  fc.integer({ min: -2, max: 9 }),
  fc.string({ maxLength: 5 }),
  fc.boolean(),
  fc.constant(null),
);
const { thing } = fc.letrec((tie) => ({
  thing: fc.oneof({ maxDepth: 2 }, leaf, tie('record'), fc.array(tie('thing'), { maxLength: 3 })),
  record: fc.record(
    {
      n: leaf,
      text: fc.string({ maxLength: 5 }),
      list: fc.array(tie('thing'), { maxLength: 3 }),
      map: tie('thing'),
      data: leaf,
    },
    { requiredKeys: [] },
  ),
}));
const record = fc.record({
  n: fc.integer({ min: 0, max: 5 }),
  text: fc.string({ maxLength: 20 }),
  list: fc.array(thing, { maxLength: 4 }),
  map: fc.dictionary(fc.constantFrom('n', 'm', 'list', '__proto__'), thing),
});

const evaluated = (source: string, a: unknown, b: unknown, store: Store): unknown => {
  const names = { a, b };
  const scope = { get: scopeOf(names).get, isResult: (name: string) => name === 'a' };
  const template = compile(source).template!;
  const attempt = (use: () => unknown): unknown => {
    try {
      return use();
    } catch (error) {
      return { failed: (error as { code?: string }).code };
    }
  };
  return [
    attempt(() => settled(template.evaluate(scope, store.host), store.load)),
    attempt(() => template.render(scope, store.host)),
    attempt(() => template.test(scope, store.host)),
  ];
};

describe('stored values', () => {
  it('mean the same as the values themselves, whichever parts are stored', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...TEMPLATES),
        record,
        record,
        fc.infiniteStream(fc.boolean()),
        (source, a, b, choices) => {
          const isPut: Choice = () => choices.next().value as boolean;
          const store = new Store();
          const inPlace = evaluated(source, a, b, new Store());
          expect(evaluated(source, stored(a, store, isPut), stored(b, store, isPut), store)).toEqual(inPlace);
        },
      ),
      { numRuns: 1500 },
    );
  });

  const large = {
    n: 7,
    ok: false,
    stats: { total: 3 },
    rows: Array.from({ length: 400 }, (_, id) => ({ id })),
    status: 'ok',
  };
  const ask = (source: string, value: unknown = large) => {
    const store = new Store();
    const scope = { get: scopeOf({ start: store.put(value) }).get, isResult: () => true };
    const answer = compile(source).template!.evaluate(scope, store.host);
    return { answer, loads: store.loads };
  };

  it.each([
    ['{{ start.n > 5 }}', true],
    ['{{ start.n > 5 and not start.ok }}', true],
    ["{{ start['status'] }}", 'ok'],
    ['{{ start.stats.total }}', 3],
    ['{{ start.rows | length }}', 400],
    ['{{ start | length }}', 5],
    ['{{ start.data.n }}', 7],
    ['{{ start.missing is defined }}', false],
    ['{% if start %}yes{% endif %}', 'yes'],
  ])('%s reads nothing', (source, answer) => expect(ask(source)).toEqual({ answer, loads: 0 }));

  it.each([
    ['{{ start[0].id }}', 0],
    ['{{ start | length }}', 400],
    ['{{ start | map(attribute="id") | sum }}', 79800],
  ])('%s of a stored list', (source, answer) => expect(ask(source, large.rows).answer).toBe(answer));

  it('are passed on unread', () => {
    const { answer, loads } = ask('{{ start }}');
    expect([isReference(answer), loads]).toEqual([true, 0]);
  });

  it('become data with "ref", at any size, and are read again with "load"', () => {
    expect(isHandle(ask('{{ start | ref }}').answer)).toBe(true);
    expect(isHandle(ask('{{ 5 | ref }}').answer)).toBe(true);
    expect(ask('{{ (start | ref).size > 1000 }}').answer).toBe(true);
    expect(ask('{{ (start | ref | load).rows[3].id }}').answer).toBe(3);
    expect(ask('{{ [start | ref] | tojson }}').loads).toBe(0);
  });

  it('that are gone are an error that names them', () => {
    const checksum = `sha256:${'0'.repeat(64)}`;
    const gone = { store: 'file', key: 'x', checksum, size: 1, schema_hint: { type: 'list' } };
    const evaluate = () =>
      compile('{{ start.rows[0] }}').template!.evaluate(scopeOf({ start: gone }), new Store().host);
    expect(evaluate).toThrow('"start" cannot be loaded: it is gone');
  });

  it('are recognised by their exact shape: data that resembles them stays data', () => {
    const listing = { store: 'main', key: 'a.csv', checksum: 'abc', size: 3 };
    const scope = scopeOf({ file: listing, more: { ...listing, schema_hint: null, owner: 'me' } });
    const value = (source: string) => compile(source).template!.evaluate(scope, new Store().host);
    expect([value('{{ file.size }}'), value('{{ more.owner }}')]).toEqual([3, 'me']);
  });
});
