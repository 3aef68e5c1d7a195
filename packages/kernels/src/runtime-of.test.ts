import { findProgram } from '@woof/sandbox';
import { expect, it } from 'vitest';
import { runtimeOf } from './runtime-of.ts';

it('the runtime of a language named like a member of Object.prototype is a text', async () => {
  expect(await runtimeOf({ language: 'constructor' })).toBeTypeOf('string');
});

it.each([
  ['python', 'python3', /^python3\.\d+ of \d+ bytes, \d+/],
  ['bash', 'bash', /^bash of \d+ bytes, \d+/],
  ['r', 'Rscript', /^Rscript of \d+ bytes, \d+/],
] as const)('the runtime of %s changes with its program', async (language, program, expected) => {
  expect(await runtimeOf({ language })).toMatch(findProgram(program) ? expected : language);
});
