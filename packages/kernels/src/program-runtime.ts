/** The runtime of a language that is identified by its program file. */
import { realpathSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { findProgram } from '@woof/sandbox/find-program';

export async function programRuntime(language: string, program = language): Promise<string> {
  const path = findProgram(program);
  return path === undefined ? language : identityOf(path);
}

/** Asking a program for its version would cost as much as a kernel. Its file shows whether it was replaced. */
export function identityOf(program: string): string {
  const path = realpathSync(program);
  const { size, mtimeMs } = statSync(path);
  return `${basename(path)} of ${size} bytes, ${mtimeMs}`;
}
