/**
 * Runs before every test file. Files share a process, whose modules run once: so this undoes what a file left, and gives the
 * next one the environment that this one found.
 */
import { afterAll } from 'vitest';
import { undoAll } from './after-file.ts';

const found = { ...process.env };
afterAll(async () => {
  await undoAll();
  for (const name of Object.keys(process.env)) if (!(name in found)) delete process.env[name];
  Object.assign(process.env, found);
});
