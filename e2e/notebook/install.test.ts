/** `--install`: env.requirements in an environment of the notebook's own, from wheels that the test makes. No network. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describeUnless } from '@woof/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Account, Folder } from '../playbook/run-playbook.ts';

/** argv: folder, version, code of the module. */
const MAKE_WHEEL = String.raw`
import sys, zipfile
folder, version, code = sys.argv[1:]
with zipfile.ZipFile('%s/woof_dog-%s-py3-none-any.whl' % (folder, version), 'w') as wheel:
    info = 'woof_dog-%s.dist-info/' % version
    wheel.writestr('woof_dog.py', code)
    wheel.writestr(info + 'METADATA', 'Metadata-Version: 2.1\nName: woof-dog\nVersion: %s\n' % version)
    wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n')
    wheel.writestr(info + 'RECORD', '')
`;

const text = (requirement: string, more = '') => `%WOOFNB 1.0
name: dogs
language: python
env: {requirements: ["${requirement}"]}
execution: {cache: content-hash}
${more}
\`\`\`cell id=a type=code${more && ' sidefx=fs'}
import woof_dog, sys
print(woof_dog.SAYS, sys.prefix != sys.base_prefix)
${more && "open('written', 'w').write('yes')"}
\`\`\`

\`\`\`cell id=t type=test
assert woof_dog.SAYS
\`\`\`
`;

let folder: Folder;
beforeEach(() => {
  folder = new Folder();
  const wheels = join(folder.path, 'wheels');
  mkdirSync(wheels);
  for (const version of ['1.0', '2.0']) {
    execFileSync('python3', ['-c', MAKE_WHEEL, wheels, version, `SAYS = "woof ${version}"\n`]);
  }
  folder.env = { PIP_NO_INDEX: '1', PIP_FIND_LINKS: wheels, PIP_CONFIG_FILE: '/dev/null' };
});
afterEach(() => folder.dispose());

const environments = () => readdirSync(join(folder.path, '.woof', 'environments'));

async function run(source: string, ...args: string[]): Promise<Account & { code: number; said: string }> {
  const file = folder.write('n.woofnb', source);
  const { code, stdout, stderr } = await folder.woof('run', file, '--json', ...args);
  const last = stdout.trim().split('\n').at(-1) ?? '';
  if (!last.startsWith('{')) throw new Error(`no account; exit ${code}\n${stdout}\n${stderr}`);
  const { stdout: said } = await folder.woof('logs', 'last');
  return { ...(JSON.parse(last) as Account), code, said };
}

describeUnless(whyNot())('woof run --install', () => {
  it('without it, says what is missing and names the flag', async () => {
    const { code, stderr } = await folder.woof('run', folder.write('n.woofnb', text('woof-dog==1.0')));
    expect(code).toBe(2);
    expect(stderr).toMatch(/woof-dog==1\.0: it is not installed/);
    expect(stderr).toContain('--install');
    expect(existsSync(join(folder.path, '.woof', 'environments'))).toBe(false);
  });

  it('makes an environment once; later runs, tests and reruns use it', async () => {
    const first = await run(text('woof-dog==1.0'), '--install');
    expect(first).toMatchObject({ code: 0, status: 'succeeded' });
    expect(first.said).toContain('woof 1.0 True');
    // A second installation would fail.
    folder.env = { ...folder.env, PIP_FIND_LINKS: '/nonexistent' };
    const again = await run(text('woof-dog==1.0'), '--no-cache');
    expect(again.said).toContain('woof 1.0 True');
    const file = join(folder.path, 'n.woofnb');
    expect((await folder.woof('test', file, '--install', '--no-cache')).code).toBe(0);
    expect((await folder.woof('rerun', 'last')).code).toBe(0);
    expect(environments()).toHaveLength(1);
    await folder.woof('clean', '--all');
    expect((await folder.woof('run', file)).code).toBe(2);
  });

  it('other requirements give another environment, and the caches of the two are separate', async () => {
    await run(text('woof-dog==1.0'), '--install');
    const other = await run(text('woof-dog==2.0'), '--install');
    expect(other.said).toContain('woof 2.0 True');
    expect(environments()).toHaveLength(2);
  });

  it('is seen by cells with files, whose data directory is hidden from them', async () => {
    const files = await run(text('woof-dog', 'io_policy: {allow_files: true}'), '--install');
    expect(files).toMatchObject({ code: 0 });
    expect(existsSync(join(folder.path, 'written'))).toBe(true);
    const spy = `%WOOFNB 1.0\nname: spy\nlanguage: python\nenv: {requirements: [woof-dog]}\nio_policy: {allow_files: true}\n
\`\`\`cell id=a type=code sidefx=fs
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
print('log', libc.open(b'.woof/woof.db', 0), 'written', libc.open(woof_dog_path := __import__('woof_dog').__file__.encode(), 2))
\`\`\`
`;
    const { said, code } = await run(spy);
    expect(code).toBe(0);
    expect(said).toContain('log -1 written -1');
  });

  it('two at once make one environment, and both run', async () => {
    const file = folder.write('n.woofnb', text('woof-dog==1.0'));
    const both = await Promise.all([1, 2].map(() => folder.woof('run', file, '--install')));
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(environments()).toHaveLength(1);
  });

  it('shows the output of pip, leaves nothing behind, and runs nothing', async () => {
    const file = folder.write('n.woofnb', text('woof-dog==9.9'));
    const { code, stderr } = await folder.woof('run', file, '--install');
    expect(code).toBe(1);
    expect(stderr).toMatch(/pip failed: .*No matching distribution found for woof-dog==9\.9/s);
    expect(environments()).toEqual([]);
    expect(existsSync(`${file}.out`)).toBe(false);
  });

  it.each(['--target=/tmp/elsewhere', './wheels', '-r list.txt'])('%s is not a requirement', async (word) => {
    const { code, stderr } = await folder.woof('run', folder.write('n.woofnb', text(word)), '--install');
    expect(code).toBe(1);
    expect(stderr).toContain(`"${word}" is not a requirement`);
  });
});

function whyNot(): string | undefined {
  try {
    execFileSync('/usr/bin/python3', ['-c', 'import venv, ensurepip'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'this Python cannot make virtual environments (Debian: apt install python3-venv)';
  }
}
