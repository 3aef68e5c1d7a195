/** Asks a Python interpreter about itself. Separate from `python-interpreter.ts`, which seldom needs to ask. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import ASK_INTERPRETER from './ask-interpreter.py?raw';

export async function askInterpreter(
  path: string,
): Promise<{ executable: string; minor: number; paths: string[] }> {
  const { stdout } = await promisify(execFile)(path, ['-I', '-c', ASK_INTERPRETER], {
    env: {},
    encoding: 'utf8',
  });
  const [executable = path, minor, ...paths] = stdout.trim().split('\n');
  return { executable, minor: Number(minor), paths };
}
