import { expect, test } from 'vitest';
import { notebookCellSchema, notebookHeaderSchema } from './schemas.ts';
import { HEADER_KEYS, ID, TOKEN_KEYS } from './vocabulary.ts';

test('the schemas name every key of the format', () => {
  expect(Object.keys(notebookHeaderSchema.properties)).toEqual([...HEADER_KEYS]);
  expect(Object.keys(notebookCellSchema.properties)).toEqual([...TOKEN_KEYS, 'body']);
});

test('the patterns accept what the linter accepts', () => {
  expect(new RegExp(notebookCellSchema.properties.id.pattern).source).toBe(ID.source);
  const effects = new RegExp(notebookCellSchema.properties.sidefx.pattern);
  expect(['none', 'fs,net', 'shell'].every((word) => effects.test(word))).toBe(true);
  expect(['', 'fs,', 'files'].some((word) => effects.test(word))).toBe(false);
});
