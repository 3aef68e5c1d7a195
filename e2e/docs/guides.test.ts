/**
 * The tutorial, the how-to guides, the explanations and the comparison do what they say: commands exist, documents run,
 * and transcripts show what the program prints. `docs.test.ts` checks documents and links, as of every page.
 */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { probeSandbox, sandboxRefusal } from '@woof/sandbox';
import { itUnless } from '@woof/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { root, runWoof, startWoof, temporaryFolder, textOf, until } from '../cli/woof.ts';
import { type Block, blocksOf, commandsOf, exchangesOf, isDocument, missingFrom } from './guide-page.ts';

const probe = await probeSandbox();
const noSandbox = probe.available ? undefined : sandboxRefusal(probe);
const docs = join(root, 'docs');
const pagesIn = (folder: string) => readdirSync(join(docs, folder)).map((name) => `${folder}/${name}`);
const pages = ['tutorial.md', 'comparison.md', ...pagesIn('how-to'), ...pagesIn('explanation')];
/** The service that guides call. */
const SERVICE = 'http://127.0.0.1:8080';

describe.each(pages)('%s', (page) => {
  const text = textOf(docs, page);
  const blocks = blocksOf(text);

  test('uses only existing commands and options', () => {
    expect(unknownIn(text)).toEqual([]);
  });

  test('runs every document that needs nothing from outside', () => {
    expect(idleIn(blocks)).toEqual([]);
  });

  if (!blocks.some(isTranscript)) return;
  itUnless(noSandbox)('prints what its transcripts show', async () => {
    const cwd = temporaryFolder();
    const service = text.includes(SERVICE) ? await serveFiles(cwd) : SERVICE;
    for (const block of blocks) await follow(block, cwd, service);
  });
});

const isTranscript = ({ info }: Block) => info === 'console';

/** The section of each command; `docs.test.ts` compares them with the program. */
const sections = new Map(
  textOf(docs, 'command-line.md')
    .split(/^## woof /m)
    .slice(1)
    .map((section) => [/^\S+/.exec(section)![0], section]),
);

function unknownIn(page: string): string[] {
  return commandsOf(page).flatMap(([command = '', ...words]) => {
    // `woof --version`, and `woof VERB` for any of them.
    if (command.startsWith('-') || /^[A-Z]+$/.test(command)) return [];
    const section = sections.get(command);
    if (section === undefined) return [`woof ${command}`];
    const options = words.flatMap((word) => /^--?[a-z][\w-]*/.exec(word) ?? []);
    const unknown = options.filter((option) => !new RegExp(`\`${option}[\` ]`).test(section));
    return unknown.map((option) => `woof ${command} ${option}`);
  });
}

/** Documents that no transcript of the page names, and that do not say what they need. */
function idleIn(blocks: readonly Block[]): string[] {
  const commands = blocks.filter(isTranscript).flatMap(exchangesOf);
  const isRun = (file?: string) =>
    file !== undefined && commands.some(({ command }) => command.includes(file));
  const idle = blocks
    .filter(isDocument)
    .filter(({ info, file }) => !info.includes(' needs ') && !isRun(file));
  return idle.map(({ file, text }) => file ?? text);
}

/** Writes the file that a block contains, or runs its commands. */
async function follow(block: Block, cwd: string, service: string): Promise<void> {
  if (block.file !== undefined) writeFileSync(join(cwd, block.file), block.text);
  if (!isTranscript(block)) return;
  for (const exchange of exchangesOf(block)) {
    const line = exchange.command.replaceAll(SERVICE, service);
    const printed = await type(line, cwd);
    expect(missingFrom(printed, exchange), `$ ${line}\n${printed}`).toEqual([]);
  }
}

/** What a terminal shows after this line. */
function type(line: string, cwd: string): Promise<string> {
  const { WOOF_DATA: _, NODE_EXTRA_CA_CERTS: __, ...outer } = process.env;
  const env = { ...outer, PATH: `${join(root, 'bin')}:${outer.PATH}`, NO_COLOR: '1' };
  return new Promise((resolve) => {
    execFile('bash', ['-c', `exec 2>&1; ${line}`], { cwd, env }, (_error, stdout) => resolve(stdout));
  });
}

/** In place of `python3 -m http.server`. */
async function serveFiles(folder: string): Promise<string> {
  const server = createServer((request, response) => {
    const file = join(folder, basename(new URL(request.url!, 'http://x').pathname));
    response.writeHead(existsSync(file) ? 200 : 404, { 'content-type': 'application/json' });
    response.end(existsSync(file) ? readFileSync(file) : undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('mistakes on a page are found', () => {
  const page = [
    'Use `woof runn` or `woof run x.yaml --sett a=1`. Save this as `x.yaml`:',
    '```yaml\nkind: Playbook\n```',
    '```console\n$ woof run y.yaml | woof show last -x\nsecond\nfirst\n```',
  ].join('\n\n');
  const blocks = blocksOf(page);
  expect(unknownIn(page)).toEqual(['woof show -x', 'woof runn', 'woof run --sett']);
  expect(idleIn(blocks)).toEqual(['x.yaml']);
  expect(missingFrom('first\nmore\nsecond\n', exchangesOf(blocks[1]!)[0]!)).toEqual(['first']);
});

test('the comparison names only existing benchmarks', () => {
  const groups = textOf(root, 'bench/src/main.ts');
  const commands = [...textOf(docs, 'comparison.md').matchAll(/`npm run bench -- ([^`]+)`/g)];
  const named = commands.flatMap(([, names]) => names!.split(' '));
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !new RegExp(`^ {2}'?${name}'?: `, 'm').test(groups))).toEqual([]);
});

itUnless(noSandbox)('the playbook of the tutorial survives kill -9', async () => {
  const { text } = blocksOf(textOf(docs, 'tutorial.md')).find(({ file }) => file === 'parcels.yaml')!;
  const cwd = temporaryFolder({ 'parcels.yaml': text, 'packed.txt': '' });
  const packed = () => textOf(cwd, 'packed.txt').split('\n').slice(0, -1);
  const running = startWoof(['run', 'parcels.yaml', '--set', 'pause=0.2'], { cwd });
  await until('two parcels are packed', () => packed().length === 2);
  running.child.kill('SIGKILL');
  await running.ended;
  const resumed = await runWoof(['resume', 'last'], { cwd });
  expect(resumed.status, resumed.stderr).toBe(0);
  expect(new Set(packed()).size).toBe(6);
  // A kill between the effect and its record repeats the parcel that was being packed, and no other.
  expect(packed().length).toBeLessThanOrEqual(7);
});
