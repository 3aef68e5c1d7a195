import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawingOf } from './drawing.ts';
import { type Graph, topological } from './graph.ts';
import { NODE } from './picture.ts';

/** Edges as pairs; an edge to an earlier node is a back edge. */
function graph(count: number, pairs: readonly (readonly [number, number])[]): Graph {
  const ids = Array.from({ length: count }, (_, i) => `n${i}`);
  const edges = pairs.map(([from, to]) => ({ from: ids[from]!, to: ids[to]! }));
  const forward = pairs.filter(([from, to]) => from < to);
  const order = topological(
    ids,
    forward.map(([from, to]) => ({ from: ids[from]!, to: ids[to]! })),
  );
  return { nodes: ids.map((id) => ({ id, type: 'noop' })), edges, order };
}

const graphs = fc.integer({ min: 1, max: 60 }).chain((count) => {
  const node = fc.integer({ min: 0, max: count - 1 });
  return fc.tuple(fc.constant(count), fc.array(fc.tuple(node, node), { maxLength: 150 }));
});

describe('drawingOf', () => {
  test('places each step below all that lead to it, apart from the others, and inside the picture', () => {
    fc.assert(
      fc.property(graphs, ([count, pairs]) => {
        const { x, y, layer, back, from, to, width, height } = drawingOf(graph(count, pairs));
        from.forEach((node, i) => {
          if (!back[i]) expect(layer[to[i]!]).toBeGreaterThan(layer[node]!);
        });
        const places = [...x].map((left, i) => ({ left, top: y[i]! }));
        for (const [i, a] of places.entries()) {
          expect(a.left).toBeGreaterThanOrEqual(-0.01);
          expect(a.left + NODE.width).toBeLessThanOrEqual(width + 0.01);
          expect(a.top + NODE.height).toBeLessThanOrEqual(height);
          for (const b of places.slice(0, i))
            if (a.top === b.top) expect(Math.abs(a.left - b.left)).toBeGreaterThanOrEqual(NODE.width);
        }
      }),
      { numRuns: 25 },
    );
  });

  test('each edge begins under its step and ends over its target', () => {
    fc.assert(
      fc.property(graphs, ([count, pairs]) => {
        const { x, y, points, starts, from, to } = drawingOf(graph(count, pairs));
        from.forEach((node, i) => {
          const line = points.slice(starts[i], starts[i + 1]);
          expect(line.length % 4).toBe(0);
          expect(line[0]).toBeCloseTo(x[node]! + NODE.width / 2, 1);
          expect(line[1]).toBe(y[node]! + NODE.height);
          expect(line.at(-2)).toBeCloseTo(x[to[i]!]! + NODE.width / 2, 1);
          expect(line.at(-1)).toBe(y[to[i]!]);
        });
      }),
    );
  });

  test('a diamond has no crossing, and its ends are in the middle', () => {
    const { x, layer } = drawingOf(
      graph(4, [
        [0, 2],
        [0, 1],
        [1, 3],
        [2, 3],
      ]),
    );
    expect([...layer]).toEqual([0, 1, 1, 2]);
    expect(x[0]).toBeCloseTo((x[1]! + x[2]!) / 2);
    expect(x[3]).toBeCloseTo(x[0]!);
  });

  test('many branches are in several rows', () => {
    const branches = Array.from({ length: 400 }, (_, i) => i + 1);
    const pairs = branches.flatMap((i): [number, number][] => [
      [0, i],
      [i, 401],
    ]);
    const { width, height } = drawingOf(graph(402, pairs));
    expect(width).toBeLessThan(12_000);
    expect(height).toBeGreaterThan(500);
  });

  test('a graph without steps is empty', () => {
    expect(drawingOf(graph(0, []))).toMatchObject({ width: 0 });
  });
});
