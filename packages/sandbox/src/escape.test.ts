/**
 * Attempts to escape. Each must fail behind the boundary and succeed with the defence switched off, so that no test
 * passes because it could never fail. The tests themselves create everything that they attack.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { describeUnless } from '@woof/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Attempted, attempt, type Defence, FILES, Folder, NOTHING, whyNot } from './attempt.ts';
import { findProgram } from './find-program.ts';

const reason = await whyNot();
const isRoot = process.getuid?.() === 0;
const OFF: Defence = { isolate: false };

describeUnless(reason).each([
  ['a folder that everybody may use', true],
  ['a folder of the user alone', false],
])('escapes from %s', (_title, open) => {
  const folder = new Folder(open);
  const { workdir, outside } = folder;
  let bystander: ChildProcess;
  let server: Server;
  let port = 0;

  beforeAll(async () => {
    bystander = spawn('/bin/sleep', ['1000'], { env: { WOOF_TEST_SECRET: 'the secret' } });
    server = createServer((socket) => socket.end('reached'));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as { port: number }).port;
  });
  afterAll(async () => {
    bystander.kill('SIGKILL');
    await new Promise((resolve) => server.close(resolve));
    folder.remove();
  });

  /** The code prints ESCAPED if it succeeds, and raises or is killed if it does not. */
  const check = async (code: string, defended: Defence, off: Defence) => {
    const control = await attempt(folder, code, off);
    expect(control.output, 'the attempt itself must work').toContain('ESCAPED');
    const result = await attempt(folder, code, defended);
    expect(result.output).not.toContain('ESCAPED');
    return result;
  };

  it('reads a file outside the working directory', () =>
    check(
      `print(open('${outside}/secret').read().replace('the secret', 'ESCAPED'))`,
      { policy: FILES },
      OFF,
    ));

  it('reads a file of the working directory without permission', () =>
    check(`print(open('${workdir}/data').read().replace('the data', 'ESCAPED'))`, {}, { policy: FILES }));

  it('climbs out of the working directory', () =>
    check(
      `import os; os.chdir('${workdir}'); print(open('../outside/secret').read(), 'ESCAPED')`,
      { policy: FILES },
      OFF,
    ));

  it('writes outside the working directory', () =>
    check(`open('${outside}/new', 'w').write('x'); print('ESCAPED')`, { policy: FILES }, OFF));

  it('writes to the working directory without permission, and the file remains', async () => {
    await attempt(folder, `open('${workdir}/left', 'w').write('x')`);
    expect(readdirSync(workdir)).not.toContain('left');
    await attempt(folder, `open('${workdir}/left', 'w').write('x')`, { policy: FILES });
    expect(readdirSync(workdir)).toContain('left');
  });

  it('reads a secret from the environment of another process', () =>
    check(
      `print(open('/proc/${bystander.pid}/environ').read().replace('the secret', 'ESCAPED'))`,
      { policy: FILES },
      OFF,
    ));

  it('sees another process', () =>
    check(`import os; os.kill(${bystander.pid}, 0); print('ESCAPED')`, { policy: FILES }, OFF));

  it('inherits the environment of this process or of the programs before it', async () => {
    process.env.WOOF_TEST_SECRET = 'the secret';
    const code = "import os; print(os.environ, [open(f'/proc/{p}/environ').read() for p in (1, 'self')])";
    const { output } = await attempt(folder, code, { env: { OWN: 'value' } });
    delete process.env.WOOF_TEST_SECRET;
    expect(output).toContain('value');
    expect(output).not.toMatch(/the secret|PATH/);
  });

  it('connects to a listener on the machine', () =>
    check(
      `import socket; s = socket.create_connection(('127.0.0.1', ${port})); s.recv(9); print('ESCAPED')`,
      { policy: { ...NOTHING, allow_files: true, allow_shell: true } },
      { policy: { ...NOTHING, allow_network: true } },
    ));

  it.each([
    ['os.system', "import os; print('ESCAPED' if os.system('exit 0') == 0 else 'failed')"],
    [
      'subprocess',
      "import subprocess; subprocess.run(['/bin/sh', '-c', 'exit 0'], check=True); print('ESCAPED')",
    ],
    [
      "libc's system()",
      "import ctypes; print('ESCAPED' if ctypes.CDLL(None).system(b'exit 0') == 0 else 'failed')",
    ],
    [
      'any program in a bin folder',
      "import os; print('ESCAPED' if [p for p in os.listdir('/usr/bin') if 'python' not in p] else 'none')",
    ],
  ])('runs a shell through %s', async (_name, code) => {
    const others = { ...NOTHING, allow_files: true, allow_network: true };
    await check(code, { policy: others }, { policy: { ...NOTHING, allow_shell: true } });
  });

  it('creates a user namespace, in which it would be root', () =>
    check(
      "import ctypes; libc = ctypes.CDLL(None, use_errno=True); print('ESCAPED' if libc.unshare(0x10000000) == 0 else ctypes.get_errno())",
      { policy: FILES },
      OFF,
    ));

  it('sees .woof', () =>
    check(
      `print(open('${workdir}/.woof/secret').read().replace('the secret', 'ESCAPED'))`,
      { policy: FILES },
      OFF,
    ));

  it('moves .woof away to see it', () =>
    check(
      `import os; os.rename('${workdir}/.woof', '${workdir}/seen'); os.rename('${workdir}/seen', '${workdir}/.woof'); print('ESCAPED')`,
      { policy: FILES },
      OFF,
    ));

  it.each([
    ['chmod', 'os.close(os.open(f, os.O_CREAT)); os.chmod(f, 0o4755)'],
    ['fchmod', 'os.fchmod(os.open(f, os.O_CREAT), 0o2755)'],
    ['open', 'os.umask(0); os.open(f, os.O_CREAT | os.O_WRONLY, 0o6755)'],
    ['mknod', 'os.umask(0); os.mknod(f, 0o104755)'],
    [
      'openat2',
      `how = (ctypes.c_uint64 * 3)(0o101, 0o4755, 0); assert libc.syscall(437, -100, f.encode(), how, 24) >= 0`,
    ],
    [
      'fchmodat2',
      'os.close(os.open(f, os.O_CREAT)); assert libc.syscall(452, -100, f.encode(), 0o4755, 0) == 0',
    ],
  ])('leaves a setuid file in the working directory with %s', async (name, code) => {
    const target = (who: string) => `${workdir}/setuid-${name}-${who}`;
    const script = (who: string) =>
      `import os, ctypes; libc = ctypes.CDLL(None); f = '${target(who)}'; ${code}`;
    const bits = (who: string) => (statSync(target(who), { throwIfNoEntry: false })?.mode ?? 0) & 0o6000;
    await attempt(folder, script('free'), OFF);
    expect(bits('free'), 'the attempt itself must work').not.toBe(0);
    await attempt(folder, script('caged'), { policy: FILES });
    expect(bits('caged')).toBe(0);
  });

  it.runIf(isRoot)('opens a kernel setting for writing (without writing)', () =>
    check(
      "import os; os.close(os.open('/proc/sys/kernel/core_pattern', os.O_WRONLY)); print('ESCAPED')",
      { policy: { allow_files: true, allow_network: true, allow_shell: true } },
      OFF,
    ),
  );

  it('finds a writable entry in /proc that affects the machine', async () => {
    const code = `import os
for root, folders, files in os.walk('/proc'):
    if root == '/proc': folders[:] = [f for f in folders if not f.isdigit() and f not in ('self', 'thread-self')]
    for f in files:
        if os.access(os.path.join(root, f), os.W_OK): print('WRITABLE', os.path.join(root, f))`;
    expect((await attempt(folder, code, { policy: FILES })).output).toBe('');
    if (isRoot) expect((await attempt(folder, code, OFF)).output).toContain('WRITABLE');
  });

  it.runIf(isRoot)('remounts a read-only folder for writing', async () => {
    const code = `import ctypes
ctypes.CDLL(None).mount(None, b'${outside}', None, 0x1020, None)
open('${outside}/remounted', 'w').close(); print('ESCAPED')`;
    const plain = [
      '--bind',
      '/',
      '/',
      '--ro-bind',
      outside,
      outside,
      '--unshare-all',
      '/usr/bin/python3',
      '-c',
      code,
    ];
    expect(
      await outputOf(spawn(String(findProgram('bwrap')), plain)),
      'the attempt itself must work',
    ).toContain('ESCAPED');
    const { output } = await attempt(folder, code, {
      policy: FILES,
      readOnly: ['/usr/lib/python3.11', '/usr/lib/python3.12', '/usr/lib/python3.13', outside],
    });
    expect(output).toMatch(/Read-only|Permission/);
  });

  it('adds mounts of its own with a zero byte in a variable', async () => {
    const env = { X: `a\0--ro-bind\0${outside}\0/tmp/stolen` };
    const { output } = await attempt(folder, "import os; print(os.path.exists('/tmp/stolen'))", { env });
    expect(output).toBe('False\n');
  });

  it('fills the disk', () =>
    check(
      "open('/tmp/large', 'wb').write(bytes(4 << 20)); print('ESCAPED')",
      { tmpBytes: 1 << 20 },
      { tmpBytes: 16 << 20 },
    ));

  it('writes anywhere but into the temporary folders', async () => {
    const code = `import os
for folder in ('/', '/usr', '/etc', '/dev', '/var'):
    try: open(folder + '/new', 'w'); print('WROTE', folder)
    except OSError: pass`;
    expect((await attempt(folder, code, { policy: FILES })).output).toBe('');
  });

  const bomb = `import os, time
n = 0
try:
    for n in range(60):
        if os.fork() == 0:
            time.sleep(1000)
    print('ESCAPED', flush=True)
except OSError: print('stopped', n, flush=True)
os.killpg(0, 9)`;

  it.each([[true], [false]])('forks without end (control groups: %s)', async (cgroups) => {
    if (!cgroups && isRoot && !open) return; // root itself has no RLIMIT_NPROC
    const result: Attempted = await check(
      bomb,
      { maxProcesses: 20, cgroups },
      { maxProcesses: 200, cgroups },
    );
    expect(result.output).toMatch(/stopped/);
  });

  const hog = "x = bytearray(300 << 20); print('ESCAPED')";

  it('takes more memory than it may (control group)', async () => {
    const { outOfMemory, output } = await check(hog, { memoryMb: 64 }, {});
    expect(outOfMemory || output.includes('MemoryError')).toBe(true);
  });

  it('takes more memory than it may (resource limit)', async () => {
    expect((await check(hog, { memoryMb: 200, cgroups: false }, { cgroups: false })).output).toContain(
      'MemoryError',
    );
  });
});

function outputOf(child: ChildProcess): Promise<string> {
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += String(chunk);
  });
  return new Promise((resolve) => child.once('close', () => resolve(output)));
}
