/** Start-up, by what it loads: times are measured by hand, they say nothing on a busy machine. */
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root, start, temporaryFolder } from './woof.ts';

const bundle = join(root, 'dist', 'cli');
const node = (args: string[]) => start(process.execPath, args, { cwd: temporaryFolder() }).ended;

/** The modules in a pack, whose code cache must fit. */
async function namesIn(pack: string): Promise<string> {
  const refused = `
    const bytes = require('node:fs').readFileSync(process.argv[1]);
    const end = 8 + bytes.readUInt32LE(0);
    const cachedData = bytes.subarray(end);
    const script = new (require('node:vm').Script)(bytes.latin1Slice(8, end), { cachedData });
    console.log(cachedData.length > 0, script.cachedDataRejected);
    console.log(Object.keys(script.runInThisContext()).join(' '));`;
  const { stdout } = await node(['-e', refused, join(bundle, pack)]);
  const [cache, names = ''] = stdout.split('\n');
  expect(cache).toBe('true false');
  return names;
}

describe('start-up', () => {
  test('--version needs nothing but bin/woof and package.json', async () => {
    const cwd = temporaryFolder();
    cpSync(join(root, 'bin'), join(cwd, 'bin'), { recursive: true });
    cpSync(join(root, 'package.json'), join(cwd, 'package.json'));
    const woof = join(cwd, 'bin', 'woof');
    expect(await node([woof, '--version'])).toMatchObject({ status: 0, stderr: '' });
    expect(await node([woof, 'runs'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('npm run build'),
    });
  });

  test('nothing in the bundle needs import(): scripts with a code cache cannot', () => {
    const files = readdirSync(bundle).filter((name) => name.endsWith('.cjs'));
    const importing = files.filter((name) => /\bimport\(/.test(readFileSync(join(bundle, name), 'utf8')));
    expect(importing).toEqual([]);
  });

  test('the pack of a run holds all that it loads, with a code cache that fits', async () => {
    const names = await namesIn('run.pack');
    for (const name of ['woof.cjs', 'run-', 'drive-', 'read-plan-']) expect(names).toContain(name);
  });

  test('what only a run with requests loads is in a second pack', async () => {
    expect(await namesIn('run-more.pack')).toContain('http-tool');
    expect(await namesIn('run.pack')).not.toContain('http-tool');
  });

  test('only a run that needs something of the second pack opens it', async () => {
    const cwd = temporaryFolder();
    for (const part of ['bin', 'dist/cli', 'package.json'])
      cpSync(join(root, part), join(cwd, part), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(cwd, 'node_modules'));
    writeFileSync(join(cwd, 'dist', 'cli', 'run-more.pack'), 'no pack');
    const run = (tool: string) => {
      const file = join(cwd, 'one.yaml');
      const head = 'apiVersion: noetl.io/v10\nkind: Playbook\nmetadata: {name: one}';
      writeFileSync(file, `${head}\nworkflow: [{step: start, tool: ${tool}}]\n`);
      return node([join(cwd, 'bin', 'woof'), 'run', file]);
    };
    expect(await run('{kind: noop}')).toMatchObject({ status: 0 });
    expect(await run('{kind: http, url: "http://127.0.0.1:1/"}')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('the http tool failed unexpectedly'),
    });
  });

  test('a run of one step loads no module of Node that it does not use', async () => {
    const cwd = temporaryFolder();
    const step = '{step: start, tool: {kind: noop}}';
    const head = 'apiVersion: noetl.io/v10\nkind: Playbook\nmetadata: {name: noop}';
    writeFileSync(join(cwd, 'noop.yaml'), `${head}\nworkflow: [${step}]\n`);
    // A run that lasts opens its control socket, and a busy machine makes any run last: so nothing comes later here.
    const tellLoaded = `
      const { setTimeout: soon } = globalThis;
      globalThis.setTimeout = (body, ms, ...args) => soon(body, ms > 0 ? 3_600_000 : ms, ...args);
      process.on('exit', () => console.log(JSON.stringify(process.moduleLoadList)));
      require(process.argv[1]);`;
    const woof = join(root, 'bin', 'woof');
    const { stdout } = await start(process.execPath, ['-e', tellLoaded, woof, 'run', 'noop.yaml'], { cwd })
      .ended;
    const loaded = JSON.parse(stdout) as string[];
    expect(loaded).toContain('NativeModule crypto');
    const unused = ['fs/promises', 'http', 'worker_threads', 'zlib'];
    // A run that takes longer, as on a busy machine, opens its socket, and that loads `cluster` and these.
    if (!loaded.includes('NativeModule cluster')) unused.push('child_process', 'internal/fs/rimraf');
    for (const name of unused) expect(loaded).not.toContain(`NativeModule ${name}`);
  });

  test('a command is looked up only among the packs', async () => {
    const cwd = temporaryFolder();
    for (const part of ['bin', 'dist/cli', 'package.json'])
      cpSync(join(root, part), join(cwd, part), { recursive: true });
    const head = Buffer.alloc(8);
    const code = "console.log('evil')".padEnd(24);
    head.writeUInt32LE(code.length);
    writeFileSync(join(cwd, 'evil.pack'), Buffer.concat([head, Buffer.from(code)]));
    const woof = join(cwd, 'bin', 'woof');
    const { status, stdout } = await node([woof, '../../evil']);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  });

  test('a bundle with missing parts says so and exits', async () => {
    const cwd = temporaryFolder();
    for (const part of ['bin', 'dist/cli', 'package.json'])
      cpSync(join(root, part), join(cwd, part), { recursive: true });
    const copied = join(cwd, 'dist', 'cli');
    const lost = readdirSync(copied).filter((name) => /^(exit-with-error|runs)-|\.pack$/.test(name));
    for (const name of lost) rmSync(join(copied, name));
    expect(await node([join(cwd, 'bin', 'woof'), 'runs'])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(
        /^error: the installation of Woof is incomplete: .*\n {2}fix: npm install -g @woof\/cli, or in a clone: npm ci/,
      ),
    });
  });

  test('every file of the bundle is ASCII, so that none has to be decoded', () => {
    const files = readdirSync(bundle).filter((name) => name.endsWith('.cjs'));
    const others = files.filter((name) => /[^\0-\x7f]/.test(readFileSync(join(bundle, name), 'latin1')));
    expect(others).toEqual([]);
  });
});
