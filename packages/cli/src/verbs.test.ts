import { expect, it } from 'vitest';
import { loadVerb, VERBS } from './verbs.ts';

it.each(Object.entries(VERBS))('woof %s has --json, which takes no value', async (_, entry) => {
  const { json } = (await loadVerb(entry)).options;
  expect(json?.doc).toMatch(/\w/);
  expect(json?.value).toBeUndefined();
});
