import { expect, it } from 'vitest';
import { unmetRequirements } from './python-requirements.ts';

it('names what is missing, and nothing that is there', async () => {
  const unmet = await unmetRequirements(['no-such-package-woof>=1', '!!!']);
  expect(unmet).toEqual([
    { requirement: 'no-such-package-woof>=1', found: 'it is not installed' },
    { requirement: '!!!', found: 'it is not a valid requirement' },
  ]);
  expect(await unmetRequirements([])).toEqual([]);
});
