/** Which of a notebook's `env.requirements` the interpreter does not meet. Checked before anything runs. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findInterpreter } from '@woof/sandbox';
import ASK from './python-requirements.py?raw';

export interface Unmet {
  requirement: string;
  /** What was found instead. */
  found: string;
}

export async function unmetRequirements(requirements: readonly string[]): Promise<Unmet[]> {
  if (requirements.length === 0) return [];
  const { executable } = await findInterpreter();
  const { stdout } = await promisify(execFile)(executable, ['-c', ASK, JSON.stringify(requirements)]);
  return (JSON.parse(stdout) as [string, string][]).map(([requirement, found]) => ({ requirement, found }));
}
