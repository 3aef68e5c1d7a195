/** Whole commands, compared with bare Node in the same environment, in turn. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Figure, median } from '../figure.ts';
import { timed, WOOF } from '../timed-command.ts';

const ROUNDS = 25;
const NOOP = `apiVersion: noetl.io/v10
kind: Playbook
metadata: {name: noop}
workflow: [{step: start, tool: {kind: noop}}]
`;

export async function startUpFigures(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'woof-start-'));
  const file = join(folder, 'noop.yaml');
  writeFileSync(file, NOOP);
  const commands = [
    ['-e', '0'],
    [WOOF, '--version'],
    [WOOF, 'run', file],
  ];
  const times: number[][] = commands.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, args] of commands.entries()) times[index]!.push(timed(args, folder));
  }
  rmSync(folder, { recursive: true });
  const [bare, version, run] = times.map(median) as [number, number, number];
  return [
    { name: 'node -e 0', value: bare, unit: 'ms' },
    { name: 'woof --version', value: version, unit: 'ms' },
    { name: 'woof --version beside node', value: version / bare, unit: '×', atMost: 1.5 },
    { name: 'woof run of one noop step', value: run, unit: 'ms' },
    { name: 'woof run beside node', value: run / bare, unit: '×', atMost: 3 },
  ];
}
