/** Several processes in one folder, beside the same runs one after the other. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Figure, median } from '../figure.ts';
import { timed, WOOF } from '../timed-command.ts';

const PROCESSES = 8;
const STEPS = 1000;
const ROUNDS = 3;

export async function oneFolderFigures(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'woof-folder-'));
  const file = join(folder, 'chain.yaml');
  writeFileSync(file, chainOf(STEPS));
  const command = [WOOF, 'run', file, '--quiet'];
  timed(command, folder);
  const shares: number[] = [];
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const together = await timedTogether(command, folder);
    const apart = Array.from({ length: PROCESSES }, () => timed(command, folder));
    shares.push(together / apart.reduce((sum, ms) => sum + ms, 0));
    rates.push((PROCESSES * STEPS * 1000) / together);
  }
  rmSync(folder, { recursive: true });
  return [
    { name: '8 processes, 1,000 noop steps each', value: median(rates), unit: 'steps/s' },
    { name: 'beside one after the other', value: median(shares), unit: '×', atMost: 1 },
  ];
}

async function timedTogether(command: string[], cwd: string): Promise<number> {
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...env } = process.env;
  const started = performance.now();
  const ends = Array.from({ length: PROCESSES }, () =>
    once(spawn(process.execPath, command, { cwd, env, stdio: 'ignore' }), 'exit'),
  );
  for (const [status] of await Promise.all(ends))
    if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}`);
  return performance.now() - started;
}

function chainOf(length: number): string {
  const steps = Array.from({ length }, (_, index) => {
    const next = index + 1 < length ? `, next: {arcs: [{step: s${index + 1}}]}` : '';
    return `  - {step: ${index === 0 ? 'start' : `s${index}`}, tool: {kind: noop}${next}}\n`;
  });
  return `apiVersion: noetl.io/v10\nkind: Playbook\nmetadata: {name: chain}\nworkflow:\n${steps.join('')}`;
}
