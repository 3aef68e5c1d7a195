/** All attempts as cells of one notebook, each in a fresh kernel, through `woof run`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Attempt, Permission } from './attempt.ts';
import { withPrelude } from './prelude.ts';
import type { World } from './world.ts';

export interface Caged {
  output: string;
  keptBytes: number;
  believed: 'succeeded' | 'failed';
  cells: string[];
}

interface Account {
  steps: Record<string, { status: string }>;
}

interface Line {
  cell: string;
  outputs: { text?: string; evalue?: string; ename?: string; traceback?: string[]; data?: unknown }[];
}

/** One notebook per set of permissions, so that a header allows exactly what its cells declare. */
export async function runCaged(
  world: World,
  attempts: readonly Attempt[],
  tokens: readonly string[],
  secretFd: number,
): Promise<Caged[]> {
  const cells = attempts.map((attempt, index) => ({ attempt, token: tokens[index]!, id: `a${index}` }));
  const results = new Map<string, Caged>();
  for (const key of new Set(cells.map(({ attempt }) => permissionsOf(attempt).join('-')))) {
    const group = cells.filter(({ attempt }) => permissionsOf(attempt).join('-') === key);
    const file = join(world.work, `attempts-${key}.woofnb`);
    writeFileSync(file, notebook(world, group, file));
    for (const [id, result] of await account(world, file, secretFd)) results.set(id, result);
  }
  return cells.map(({ id }) => results.get(id)!);
}

async function account(world: World, file: string, secretFd: number): Promise<[string, Caged][]> {
  const { stdout, stderr } = await woof(
    world,
    secretFd,
    'run',
    file,
    '--json',
    '--data',
    `${world.work}/state`,
  );
  const last = stdout.trim().split('\n').at(-1) ?? '';
  if (!last.startsWith('{')) throw new Error(`woof run gave no account: ${stdout}${stderr}`);
  const { steps } = JSON.parse(last) as Account;
  const text = readFileSync(`${file}.out`, 'utf8').trim();
  const lines = text.split('\n').map((line) => [line, JSON.parse(line) as Line] as const);
  const cells = lines.map(([, { cell }]) => cell);
  return Object.entries(steps).map(([id, { status }]) => {
    const [line, kept] = lines.find(([, { cell }]) => cell === id) ?? ['', undefined];
    if (status !== 'succeeded' && status !== 'failed') throw new Error(`attempt ${id} is ${status}`);
    return [id, { output: textOf(kept), keptBytes: Buffer.byteLength(line), believed: status, cells }];
  });
}

const ALLOWS: Record<Permission, string> = { fs: 'allow_files', net: 'allow_network', shell: 'allow_shell' };

function permissionsOf({ language, allowed = [] }: Attempt): Permission[] {
  return [...new Set([...allowed, ...(language === 'bash' ? (['shell'] as const) : [])])].sort();
}

interface Cell {
  attempt: Attempt;
  token: string;
  id: string;
}

function notebook(world: World, cells: readonly Cell[], file: string): string {
  const policy = permissionsOf(cells[0]!.attempt).map((permission) => `${ALLOWS[permission]}: true`);
  const header = `execution: {order: graph}\nio_policy: {${policy.join(', ')}}`;
  return `%WOOFNB 1.0\nname: attempts\nlanguage: python\n${header}\n${cells.map((cell) => text(world, cell, file)).join('')}`;
}

function text(world: World, { attempt, token, id }: Cell, notebook: string): string {
  const { language = 'python', tokens = '', code } = attempt;
  const facts = { ...world.factsOf(token), outputs: `${notebook}.out` };
  const kind = language === 'bash' ? 'type=bash' : `type=code lang=${language}`;
  const head = `cell id=${id} ${kind} sidefx=${['isolated', ...permissionsOf(attempt)].join(',')} ${tokens}`;
  return `\n\`\`\`\`\`${head.trim()}\n${withPrelude(language, facts, code)}\n\`\`\`\`\`\n`;
}

async function woof(
  world: World,
  secretFd: number,
  ...args: string[]
): Promise<{ stdout: string; stderr: string }> {
  const stdio = ['ignore', 'pipe', 'pipe', 'ignore', 'ignore', 'ignore', 'ignore', secretFd];
  stdio.push('ignore', 'ignore', 'ignore', 'ignore', secretFd);
  const child = world.spawn([process.execPath, world.woof, ...args], stdio);
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream]?.on('data', (chunk) => {
      said[stream] += String(chunk);
    });
  await new Promise((resolve) => child.once('close', resolve));
  return said;
}

/** Everything a person would see, in the form of the program: errors may quote what was read. */
function textOf(line: Line | undefined): string {
  return (line?.outputs ?? [])
    .map(({ text, ename, evalue, traceback, data }) =>
      [text, ename, evalue, ...(traceback ?? []), data && JSON.stringify(data)].filter(Boolean).join('\n'),
    )
    .join('\n');
}
