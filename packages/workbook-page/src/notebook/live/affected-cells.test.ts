import { describe, expect, it } from 'vitest';
import type { PageCell } from '../page-model.ts';
import { readersOf, withDependents } from './affected-cells.ts';

const cell = (id: string, needs: string[], body = ''): PageCell => ({
  ...{ id, type: 'code', language: 'python', session: 'python', body, needs },
});

describe('what a change reaches', () => {
  it('is the cell, and all its dependents, in their order', () => {
    const cells = [cell('a', []), cell('b', ['a']), cell('c', []), cell('d', ['a', 'b']), cell('e', ['c'])];
    const reached = (...ids: string[]) => withDependents(cells, ids).map(({ id }) => id);
    expect(reached('b')).toEqual(['b', 'd']);
    expect(reached('a')).toEqual(['a', 'b', 'd']);
    expect(reached('e', 'c')).toEqual(['c', 'e']);
    expect(reached()).toEqual([]);
  });
});

describe('a cell that reads a parameter', () => {
  it.each([
    ['parameters["n"]', true],
    ["parameters['n'] + 1", true],
    ['parameters.n', true],
    ['woof.parameters["n"]', true],
    ['parameters.get("n", 3)', true],
    ['parameters?.n', true],
    ['const { n } = parameters;', true],
    ['f(**parameters)', true],
    ['for key in parameters.items(): pass', true],
    ['parameters[name]', true],
    ['parameters["m"]', false],
    ['parameters.m + n', false],
    ["parameters.get('m')", false],
    ['my_parameters["n"]', false],
    ['n = 1', false],
  ])('%s: %s', (body, reads) => {
    expect(readersOf([cell('a', [], body)], 'n')).toEqual(reads ? ['a'] : []);
  });

  it('is never data', () => {
    expect(readersOf([{ ...cell('a', [], 'parameters["n"]'), type: 'data' }], 'n')).toEqual([]);
  });
});
