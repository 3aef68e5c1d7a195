/**
 * The tutorial, the how-to guides, the explanations and the comparison do what they say: documents have no mistake,
 * commands exist, and transcripts show what the program prints.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { readDocument } from '@woof/documents';
import { probeSandbox, sandboxRefusal } from '@woof/sandbox';
import { itUnless } from '@woof/testkit';
import { toolSchemas } from '@woof/tools';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadVerb, VERBS } from '../../packages/cli/src/verbs.ts';
import { root, runWoof, start, startWoof, temporaryFolder, textOf, until } from '../cli/woof.ts';
import { type Block, blocksOf, commandsOf, exchangesOf, isDocument, steady } from './guide-page.ts';

const probe = await probeSandbox();
const noSandbox = probe.available ? undefined : sandboxRefusal(probe);
const docs = join(root, 'docs');
const pages = [
  'tutorial.md',
  'comparison.md',
  ...['how-to', 'explanation'].flatMap((folder) =>
    readdirSync(join(docs, folder)).map((name) => `${folder}/${name}`),
  ),
];

describe.each(pages)('%s', (page) => {
  const text = textOf(docs, page);
  const blocks = blocksOf(text);
  const transcripts = blocks.filter(({ info }) => info === 'console');

  test('has documents without mistakes', () => {
    for (const { text } of blocks.filter(isDocument)) {
      expect(readDocument(text, { kinds: toolSchemas }).diagnostics, text).toEqual([]);
    }
  });

  test('has commands and options that there are', async () => {
    for (const words of commandsOf(text)) expect(await unknownIn(words), words.join(' ')).toEqual([]);
  });

  test('runs every document that needs nothing from outside', () => {
    const commands = transcripts.flatMap(exchangesOf).map(({ command }) => command);
    const idle = blocks.filter(isDocument).filter(({ info, file = '(no name)' }) => {
      return !info.includes(' needs ') && !commands.some((command) => command.includes(file));
    });
    expect(idle.map(({ file, text }) => file ?? text)).toEqual([]);
  });

  if (transcripts.length > 0) {
    itUnless(noSandbox)('prints what its transcripts show', async () => {
      const cwd = temporaryFolder();
      const api = text.includes('127.0.0.1:8080') ? await serveFiles(cwd) : '';
      for (const block of blocks) await follow(block, cwd, api);
    });
  }
});

async function unknownIn([verb = '', ...rest]: string[]): Promise<string[]> {
  if (verb.startsWith('-') || /^[A-Z]+$/.test(verb)) return [];
  const entry = VERBS[verb];
  if (entry === undefined) return [verb];
  const { options } = await loadVerb(entry);
  const known = Object.entries(options).flatMap(([name, { short }]) => [`--${name}`, `-${short}`]);
  const flags = rest.flatMap((word) => /^-{1,2}[a-z][\w-]*/.exec(word) ?? []);
  return flags.filter((flag) => !known.includes(flag) && flag !== '--help');
}

/** Writes the file that a block is, or gives the commands that it holds. */
async function follow(block: Block, cwd: string, api: string): Promise<void> {
  if (block.file !== undefined) writeFileSync(join(cwd, block.file), block.text);
  if (block.info !== 'console') return;
  for (const { command, shown } of exchangesOf(block)) {
    const line = command.replaceAll('http://127.0.0.1:8080', api);
    const env = { PATH: `${join(root, 'bin')}:${process.env.PATH}`, NO_COLOR: '1' };
    const { stdout } = await start('bash', ['-c', `exec 2>&1; ${line}`], { cwd, env }).ended;
    expect(missingFrom(stdout.replaceAll(api || '\0', 'http://127.0.0.1:8080').split('\n').map(steady), shown), `${command}\n${stdout}`).toEqual([]);
  }
}

/** Lines that are not among the others, in this order. */
function missingFrom(lines: string[], wanted: string[]): string[] {
  let from = 0;
  return wanted.filter((line) => {
    const at = lines.indexOf(line, from);
    if (at >= 0) from = at + 1;
    return at < 0;
  });
}

/** Stands for `python3 -m http.server`. */
async function serveFiles(folder: string): Promise<string> {
  const server = createServer((request, response) => {
    const file = join(folder, basename(new URL(request.url!, 'http://x').pathname));
    const found = existsSync(file);
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
    response.end(found ? readFileSync(file) : undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

itUnless(noSandbox)('the playbook of the tutorial survives kill -9', async () => {
  const { text } = blocksOf(textOf(docs, 'tutorial.md')).find(({ file }) => file === 'parcels.yaml')!;
  const cwd = temporaryFolder({ 'parcels.yaml': text });
  const packed = () => (existsSync(join(cwd, 'packed.txt')) ? textOf(cwd, 'packed.txt').trim().split('\n') : []);
  const running = startWoof(['run', 'parcels.yaml', '--set', 'pause=0.2'], { cwd });
  await until('two parcels are packed', () => packed().length === 2);
  running.child.kill('SIGKILL');
  await running.ended;
  const resumed = await runWoof(['resume', 'last'], { cwd });
  expect(resumed.status, resumed.stderr).toBe(0);
  expect(new Set(packed()).size).toBe(6);
  // The kill may come between the effect and its record: the parcel that was being packed is packed again.
  expect(packed().length).toBeLessThanOrEqual(7);
});
