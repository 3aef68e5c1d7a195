import { CELL_TYPES, traitsOf } from '@woof/net';
import { describe, expect, it } from 'vitest';
import { formOf } from './cell-forms.ts';

describe('forms of cells', () => {
  it.each(CELL_TYPES)(
    '%s: its form says how a body is read if it is bound to a value, and only then',
    (type) => {
      expect(formOf({ type }).value !== undefined).toBe(traitsOf({ type }).isValue);
    },
  );

  it('a data cell is a value as JSON or YAML, and only JSON can be bound by scripts and edited in pages', () => {
    const { value, isJson } = formOf({ type: 'data' });
    expect([value!('null'), value!('[1]'), value!('a: 1'), value!('a: [')]).toEqual([
      null,
      [1],
      { a: 1 },
      undefined,
    ]);
    expect([isJson!('null'), isJson!('[1]'), isJson!('a: 1')]).toEqual([true, true, false]);
  });
});
