import { describe, expect, it } from 'vitest';
import type { PageCell } from '../page-model.ts';
import { copyInputs, type Inputs, staleOutputs } from './stale-outputs.ts';

const cell = (id: string, needs: string[], body: string, more: Partial<PageCell> = {}): PageCell => ({
  ...{ id, type: 'code', language: 'javascript', session: 'javascript', body, needs },
  ...more,
});
const python = { language: 'python', session: 'python', stored: 'no Python here' };

/** As in a linear notebook: each cell needs all cells before it. */
const inputs = (): Inputs => ({
  cells: [
    cell('base', [], '[1]', { type: 'data', value: [1] }),
    cell('live', ['base'], 'const half = parameters.n / 2'),
    cell('own', ['base', 'live'], 'parameters["n"]', python),
    cell('after', ['base', 'live', 'own'], 'own + 1', python),
    cell('asking', ['base', 'live'], 'live["half"]', { ...python, session: 'other' }),
    cell('apart', ['base', 'live', 'own'], '1', { ...python, session: 'another' }),
    cell('r', [], 'parameters$m + parameters[["m"]]', { ...python, session: 'r' }),
  ],
  parameters: { n: 3, m: 1 },
});

const staleAfter = (change: (now: Inputs) => void) => {
  const now = inputs();
  const before = copyInputs(now);
  change(now);
  return Object.fromEntries(staleOutputs(before, now));
};

describe('stored outputs that do not follow a change', () => {
  it('are none while nothing has changed', () => {
    expect(staleAfter(() => {})).toEqual({});
    expect(staleAfter((now) => Object.assign(now.parameters, { n: 3 }))).toEqual({});
  });

  it('are those that read the parameter, and those that use something from a cell that did', () => {
    const why = 'n from 3 to 5';
    const found = staleAfter((now) => Object.assign(now.parameters, { n: 5 }));
    expect(found).toEqual({ own: why, after: why, asking: why });
    expect(staleAfter((now) => Object.assign(now.parameters, { m: 2 }))).toEqual({
      r: 'm from 1 to 2',
    });
  });

  it('are those that use something from an edited cell', () => {
    expect(Object.keys(staleAfter((now) => Object.assign(now.cells[0]!, { value: [2] })))).toContain('apart');
    expect(staleAfter((now) => Object.assign(now.cells[1]!, { body: 'const half = 1' }))).toEqual({
      asking: 'live',
    });
  });

  it('do not include any for data that is not yet JSON', () => {
    expect(staleAfter((now) => Object.assign(now.cells[0]!, { body: '[1,' }))).toEqual({});
  });
});
