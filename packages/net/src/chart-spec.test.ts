import { describe, expect, it } from 'vitest';
import { parseChart, withData } from './chart-spec.ts';
import type { Json } from './json.ts';

const parse = (spec: unknown) => parseChart(JSON.stringify(spec));

describe('the data that a chart needs', () => {
  it.each<[string, unknown, string[], string[]]>([
    ['one name', { data: { name: 'a' }, mark: 'bar' }, ['a'], []],
    ['a name in a layer, once', { layer: [{ data: { name: 'a' } }, { data: { name: 'a' } }] }, ['a'], []],
    [
      'a lookup',
      { data: { values: [] }, transform: [{ lookup: 'k', from: { data: { name: 'b' } } }] },
      ['b'],
      [],
    ],
    ['inline values with a name', { data: { name: 'a', values: [] }, mark: 'bar' }, [], []],
    ['what it defines elsewhere', { data: { name: 'a' }, datasets: { a: [] }, mark: 'bar' }, [], []],
    ['made up by itself', { data: { sequence: { start: 0, stop: 2 }, name: 's' }, mark: 'bar' }, [], []],
    [
      'nothing that only looks like it, inside values',
      { data: { values: [{ data: { name: 'x' } }] } },
      [],
      [],
    ],
    ['sources of Vega', { data: [{ name: 'a' }, { name: 'b', source: 'a' }], marks: [] }, ['a'], []],
    ['Vega, from a transform', { data: [{ name: 'a', transform: [] }], marks: [] }, [], ['a']],
  ])('%s', (_, spec, wanted, optional) => {
    expect(parse(spec)).toMatchObject({ wanted, optional });
  });

  it.each<[unknown, RegExp]>([
    [{ data: { url: 'x.csv' }, mark: 'bar' }, /cannot load data.* refers to x\.csv/],
    [{ layer: [{ data: { url: 'http://x' } }] }, /cannot load data/],
    [{ data: [{ name: 't', url: { signal: 's' } }], marks: [] }, /cannot load data/],
  ])('never by url: %j', (spec, message) => {
    expect(() => parse(spec)).toThrow(
      expect.objectContaining({ ename: 'PolicyError', message: expect.stringMatching(message) }),
    );
  });

  it('a body that is not an object is refused', () => {
    expect(() => parse([1])).toThrow(/JSON object/);
    expect(() => parseChart('{')).toThrow(/not JSON/);
  });

  it('nesting deeper than the stack is handled', () => {
    const deep = `{"layer":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    expect(parseChart(deep).wanted).toEqual([]);
  });
});

describe('the kind of a chart', () => {
  it.each([
    [{ $schema: 'https://vega.github.io/schema/vega-lite/v5.json', marks: [] }, 'vega-lite'],
    [{ $schema: 'https://vega.github.io/schema/vega/v5.json' }, 'vega'],
    [{ marks: [] }, 'vega'],
    [{ mark: 'bar' }, 'vega-lite'],
  ])('%j is %s', (spec, kind) => {
    expect(parse(spec).kind).toBe(kind);
  });
});

describe('filling in', () => {
  const data = new Map<string, Json>([['a', [1, 2]]]);

  it('Vega-Lite gets datasets beside its own', () => {
    const chart = parse({ data: { name: 'a' }, datasets: { b: [3] }, mark: 'bar' });
    expect(withData(chart, data).datasets).toEqual({ a: [1, 2], b: [3] });
  });

  it('Vega gets values in its sources', () => {
    const chart = parse({ data: [{ name: 'a' }, { name: 'c', source: 'a' }], marks: [] });
    expect(withData(chart, data).data).toEqual([
      { name: 'a', values: [1, 2] },
      { name: 'c', source: 'a' },
    ]);
    expect(chart.spec.data).toEqual([{ name: 'a' }, { name: 'c', source: 'a' }]);
  });
});
