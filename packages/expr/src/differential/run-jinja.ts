/** Owns: running the real Jinja2. All cases go through one Python process, with JSON input and output. */
import { spawnSync } from 'node:child_process';
import SCRIPT from './run-jinja.py?raw';

export interface JinjaCase {
  readonly kind: 'expression' | 'template';
  readonly source: string;
  /** Using an undefined value is an error, as in Woof. */
  readonly strict?: true;
}

/** The text of the result (repr in a list for an expression), or how it failed. */
export interface JinjaResult {
  readonly text?: string;
  readonly undefined?: boolean;
  readonly error?: string;
}

export function findJinja(): { python: string } | { reason: string } {
  for (const python of ['/usr/bin/python3', 'python3']) {
    const probe = spawnSync(python, ['-c', 'import jinja2'], { encoding: 'utf8' });
    if (probe.status === 0) return { python };
  }
  return { reason: 'no python3 with jinja2 was found' };
}

export function runJinja(python: string, cases: readonly JinjaCase[], context: unknown): JinjaResult[] {
  const input = JSON.stringify({ cases, context });
  const done = spawnSync(python, ['-c', SCRIPT], { input, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (done.status !== 0) throw new Error(`Jinja2 failed: ${done.stderr}`);
  return JSON.parse(done.stdout) as JinjaResult[];
}
