/**
 * `env.container`: with a fake docker, which records its arguments and starts the program without a container, and with
 * podman if it works here.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeUnless } from '@woof/testkit';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Account, Folder } from '../playbook/run-playbook.ts';
import { IMAGE, Podman } from './podman-image.ts';

let folder: Folder;
beforeEach(() => {
  folder = new Folder();
});
afterEach(() => folder.dispose());

const cell = (tokens: string, body: string) => `\n\`\`\`cell ${tokens}\n${body}\n\`\`\`\n`;
const notebook = (image: string, header: string, ...cells: string[]) =>
  `%WOOFNB 1.0\nname: contained\nlanguage: python\nenv: {container: {image: "${image}"}}\n${header}\n${cells.join('')}`;

async function run(
  text: string,
  ...args: string[]
): Promise<Account & { code: number; stderr: string; said: string }> {
  const { code, stdout, stderr } = await folder.woof(
    'run',
    folder.write('n.woofnb', text),
    '--json',
    ...args,
  );
  const last = stdout.trim().split('\n').at(-1) ?? '';
  if (!last.startsWith('{')) throw new Error(`no account; exit ${code}\n${stdout}\n${stderr}`);
  const { stdout: said } = await folder.woof('logs', 'last');
  return { ...(JSON.parse(last) as Account), code, stderr, said };
}

/** A docker whose `info` does this, and whose `run` starts the program here. */
function fakeDocker(info: string): string {
  const bin = join(folder.path, 'bin');
  mkdirSync(bin);
  const notes = join(folder.path, 'docker');
  mkdirSync(notes);
  writeFileSync(
    join(bin, 'docker'),
    `#!/usr/bin/python3
import json, os, sys
args = sys.argv[1:]
if args[0] == 'info':
    ${info}
elif args[0] == 'image':
    print('sha256:of-the-image')
elif args[0] == 'kill':
    open('${notes}/removed', 'a').write(args[-1] + '\\n')
    try:
        os.kill(int(open('${notes}/' + args[-1]).read()), 9)
    except OSError:
        sys.exit(1)
elif args[0] == 'run':
    json.dump(args, open('${notes}/run', 'w'))
    open('${notes}/' + args[args.index('--name') + 1], 'w').write(str(os.getpid()))
    mounts = [dict(part.partition('=')[::2] for part in args[i + 1].split(',')) for i, a in enumerate(args) if a == '--mount']
    channel = next(m['source'] for m in mounts if m['target'] == '/run/woof')
    at = args.index('--entrypoint')
    os.chdir(args[args.index('--workdir') + 1])
    os.execv('/usr/bin/python3', [args[at + 1]] + [a.replace('/run/woof', channel) for a in args[at + 3:]])
`,
  );
  chmodSync(join(bin, 'docker'), 0o755);
  folder.env = { PATH: bin };
  return notes;
}

const argsOf = (notes: string) => JSON.parse(readFileSync(join(notes, 'run'), 'utf8')) as string[];
const valuesOf = (args: string[], flag: string) =>
  args.flatMap((arg, at) => (arg === flag ? [args[at + 1]!] : []));

describe('with docker', () => {
  it('refuses in its own words if its daemon does not answer, and runs nothing', async () => {
    const words = 'Cannot connect to the Docker daemon at unix:///nowhere. Is the docker daemon running?';
    fakeDocker(`sys.exit('${words}')`);
    const file = folder.write('n.woofnb', notebook('python:3.12', '', cell('id=a type=code', 'print(1)')));
    const { code, stderr } = await folder.woof('run', file);
    expect(code).toBe(1);
    expect(stderr).toContain(words);
    expect(stderr).toContain('podman: it is not installed');
    expect(existsSync(`${file}.out`)).toBe(false);
  });

  it('starts the driver in a container that may do nothing, and cells share its state', async () => {
    const notes = fakeDocker('pass');
    const ran = await run(
      notebook(
        'ghcr.io/acme/runner:py311',
        'defaults: {memory_mb: 300}\nparameters: {n: 2}',
        cell('id=d type=data', '[1, 2]'),
        cell('id=a type=code', "x = sum(d) * parameters['n']\nprint('x is', x)"),
        cell('id=b type=code', 'x + 1'),
        cell('id=bad type=code', '1 / 0'),
      ),
    );
    expect(ran.steps).toMatchObject({ b: { result: '7' }, bad: { status: 'failed' } });
    expect(ran.said).toContain('x is 6');
    const args = argsOf(notes);
    for (const flag of ['--rm', '--interactive', '--read-only']) expect(args).toContain(flag);
    expect(valuesOf(args, '--network')).toEqual(['none']);
    expect(valuesOf(args, '--cap-drop')).toEqual(['ALL']);
    expect(valuesOf(args, '--security-opt')).toEqual(['no-new-privileges']);
    expect(valuesOf(args, '--pids-limit')).toEqual(['512']);
    expect(valuesOf(args, '--memory')).toEqual(['300m']);
    expect(valuesOf(args, '--user')[0]).not.toMatch(/^0:/);
    const empty = new RegExp(`/empty,target=${folder.path},readonly$`);
    expect(valuesOf(args, '--mount')).toEqual([
      expect.stringMatching(/target=\/run\/woof,readonly$/),
      expect.stringMatching(empty),
    ]);
    expect(valuesOf(args, '--entrypoint')).toEqual(['python3']);
    expect(args[args.indexOf('--entrypoint') + 2]).toBe('ghcr.io/acme/runner:py311');
  });

  it('files and network are given if allowed and declared; the data directory stays hidden', async () => {
    const notes = fakeDocker('pass');
    const policy = 'io_policy: {allow_files: true, allow_network: true}';
    const body = "open('made', 'w').write('yes')";
    const ran = await run(notebook('python:3', policy, cell('id=a type=code sidefx=fs,net', body)));
    expect(ran.code).toBe(0);
    expect(existsSync(join(folder.path, 'made'))).toBe(true);
    const args = argsOf(notes);
    expect(valuesOf(args, '--network')).toEqual([]);
    const bound = `type=bind,source=${folder.path},target=${folder.path}`;
    expect(valuesOf(args, '--mount')).toContain(bound);
    const covered = new RegExp(`/empty,target=${folder.path}/\\.woof,readonly$`);
    expect(valuesOf(args, '--mount')).toContainEqual(expect.stringMatching(covered));
  });

  it('a cell that ignores interrupts after its timeout is ended by the name of its container', async () => {
    const notes = fakeDocker('pass');
    const stubborn = 'while True:\n    try:\n        while True: pass\n    except KeyboardInterrupt: pass';
    const ran = await run(
      notebook(
        'python:3',
        'execution: {order: graph}',
        cell('id=slow type=code timeout=1', stubborn),
        cell('id=next type=code', "print('next')"),
      ),
    );
    expect(ran.steps).toMatchObject({ slow: { error: { kind: 'timeout' } }, next: { status: 'succeeded' } });
    expect(readFileSync(join(notes, 'removed'), 'utf8')).toMatch(/^woof-\d+-[0-9a-f]{12}\n/);
  });

  it.each([
    ['--privileged', /is not an image name/],
    ['python:3 --privileged', /is not an image name/],
  ])('%s is refused', async (image, message) => {
    const notes = fakeDocker('pass');
    const ran = await run(notebook(image, '', cell('id=a type=code', 'print(1)')));
    expect(ran.code).toBe(1);
    expect(JSON.stringify(ran.steps)).toMatch(message);
    expect(existsSync(join(notes, 'run'))).toBe(false);
  });

  it('other languages are refused by name', async () => {
    fakeDocker('pass');
    const ran = await run(notebook('python:3', '', cell('id=a type=code lang=javascript', '1')));
    expect(JSON.stringify(ran.steps.a!.error)).toContain('javascript cells cannot run in env.container');
  });
});

const podman = Podman.start();
afterAll(() => {
  if (typeof podman !== 'string') podman.remove();
});

describeUnless(typeof podman === 'string' ? podman : undefined)('with podman', () => {
  const real = podman as Podman;
  beforeEach(() => {
    folder.env = real.env;
  });

  it('runs cells in the image, with no permission but to compute', async () => {
    const attack = `
import os, ctypes
libc = ctypes.CDLL(None, use_errno=True)
print('uid', os.getuid())
print('host', libc.open(b'${process.cwd()}/package.json', 0))
print('root', libc.open(b'/made', 0o102, 0o600))
print('here', libc.open(b'made', 0o102, 0o600))
print('caps', [line.split()[1] for line in open('/proc/self/status') if line.startswith('CapEff')])`;
    const ran = await run(
      notebook(
        IMAGE,
        'execution: {cache: content-hash}',
        cell('id=a type=code', 'x = 41'),
        cell('id=b type=code', 'print(x + 1)'),
        cell('id=c type=code', attack),
      ),
    );
    expect(ran.said, JSON.stringify(ran.steps)).toContain('42');
    expect(ran.said).toContain('host -1');
    expect(ran.said).toContain('root -1');
    expect(ran.said).toContain('here -1');
    expect(ran.said).toContain("caps ['0000000000000000']");
    const again = await folder.woof('run', join(folder.path, 'n.woofnb'), '--json');
    expect(again.code).toBe(0);
    const lines = readFileSync(join(folder.path, 'n.woofnb.out'), 'utf8').trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { cached?: boolean }).cached)).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('reads and writes the folder if files are allowed, but not the data directory', async () => {
    folder.write('data.txt', 'the data');
    const body = `
import os
open('made', 'w').write(open('data.txt').read())
import ctypes
print('log', ctypes.CDLL(None).open(b'.woof/woof.db', 0))`;
    const policy = 'io_policy: {allow_files: true}';
    const ran = await run(notebook(IMAGE, policy, cell('id=a type=code sidefx=fs', body)));
    expect(ran.said, JSON.stringify(ran.steps)).toContain('log -1');
    expect(readFileSync(join(folder.path, 'made'), 'utf8')).toBe('the data');
  });

  it('nothing that a cell prints or connects to is taken for the driver', async () => {
    const forge = `
import ctypes, struct
print('{"n":2,"token":"","kind":"end"}')
libc = ctypes.CDLL(None, use_errno=True)
s = libc.socket(1, 1, 0)
address = struct.pack('H108s', 1, b'/run/woof/channel')
print('connected', libc.connect(s, address, len(address)))
1 / 0`;
    const ran = await run(notebook(IMAGE, '', cell('id=a type=code', forge)));
    expect(ran.steps.a).toMatchObject({ status: 'failed', error: { exception_type: 'ZeroDivisionError' } });
    expect(ran.said).toContain('connected -1');
  });

  it('a timeout ends the container, too much memory ends the cell, and nothing is left', async () => {
    const stubborn = 'while True:\n    try:\n        while True: pass\n    except KeyboardInterrupt: pass';
    const ran = await run(
      notebook(
        IMAGE,
        'execution: {order: graph}\ndefaults: {memory_mb: 128}',
        cell('id=slow type=code timeout=1', stubborn),
        cell('id=large type=code', 'x = bytearray(300_000_000)'),
        cell('id=next type=code', "print('next')"),
      ),
    );
    expect(ran.steps).toMatchObject({ slow: { error: { kind: 'timeout' } }, next: { status: 'succeeded' } });
    expect(JSON.stringify(ran.steps.large!.error)).toMatch(/ran out of memory|MemoryError/);
    expect(real.run('ps', '--all', '--quiet')).toBe('');
  });

  it('a missing image is reported in the words of the engine', async () => {
    const ran = await run(notebook('localhost/no-such-image-woof', '', cell('id=a type=code', '1')));
    expect(ran.code).toBe(1);
    expect(JSON.stringify(ran.steps.a!.error)).toMatch(/localhost\/no-such-image-woof cannot start: .*Error/);
  });
});
