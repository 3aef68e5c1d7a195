import { expect, it } from 'vitest';
import { deathError } from './cell-failure.ts';
import type { KernelSpec } from './kernel.ts';

it.each([
  [512, 'the r kernel ran out of memory: the cell may use memory_mb=512'],
  [Infinity, 'the r kernel ran out of memory'],
  [undefined, 'the r kernel ran out of memory'],
])('names the memory limit %s of a kernel that ran out of memory only if it has one', (memoryMb, said) => {
  const death = { code: null, signal: 'SIGKILL' as const, outOfMemory: true, complaint: '' };
  expect(deathError(death, { language: 'r', memoryMb } as KernelSpec).evalue).toBe(said);
});
