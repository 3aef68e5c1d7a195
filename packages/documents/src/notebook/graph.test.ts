import { describe, expect, test } from 'vitest';
import { graphOfDocument } from '../document.ts';

const F = '```';
const cell = (tokens: string) => `${F}cell ${tokens}\n1\n${F}\n`;
const graphOf = (order: string, ...cells: string[]) =>
  graphOfDocument(
    `%WOOFNB 1.0\nname: x\nlanguage: python\nexecution: {order: ${order}}\n${cells.map(cell).join('')}`,
    {
      kinds: [],
    },
  );

describe('graph of a notebook', () => {
  test('a dep that comes later in the file runs first', () => {
    const { graph } = graphOf('graph', 'id=b type=code deps=a', 'id=a type=code');
    expect(graph).toEqual({
      nodes: [
        { id: 'b', type: 'code' },
        { id: 'a', type: 'code' },
      ],
      edges: [{ from: 'a', to: 'b' }],
      order: ['a', 'b'],
    });
  });

  test('ties: the higher priority, then the order of the file', () => {
    const { graph } = graphOf(
      'graph',
      'id=a type=code',
      'id=b type=code priority=1',
      'id=c type=code',
      'id=d type=code deps=a priority=9',
    );
    expect(graph!.order).toEqual(['b', 'a', 'd', 'c']);
  });

  test('linear: each cell waits for the one above; md and raw are not steps', () => {
    const { graph } = graphOf('linear', 'id=a type=code', 'id=t type=md', 'id=b type=code priority=5');
    expect(graph!.edges).toEqual([{ from: 'a', to: 'b' }]);
    expect(graph!.order).toEqual(['a', 'b']);
  });

  test('a dep on a cell that does not run leads through it', () => {
    const { graph } = graphOf('graph', 'id=c type=code deps=t', 'id=t type=md deps=a', 'id=a type=code');
    expect(graph!.edges).toEqual([{ from: 'a', to: 'c' }]);
  });

  test('there is none if the cells are not clear', () => {
    expect(graphOf('graph', 'id=a type=code deps=b', 'id=b type=code deps=a').graph).toBeUndefined();
    expect(graphOf('graph', 'id=a type=code deps=nosuch').graph).toBeUndefined();
    expect(graphOf('graph', 'id=a type=bash').graph!.order).toEqual(['a']);
  });
});
