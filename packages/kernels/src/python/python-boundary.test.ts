/**
 * Escapes that bypass the audit hook by calling libc: the sandbox must stop them. Every attempt prints "reached" if it
 * works. The control is the same code with the boundary off or the permission given. They attack only what this test
 * made: its folders, its listeners, its sleeping process.
 */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, createReadStream, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { describeUnless } from '@woof/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { KernelSpec } from '../kernel.ts';
import {
  EVERYTHING,
  FILES,
  KernelCase,
  NETWORK,
  NOTHING,
  runCell,
  SHELL,
  whyNoSandbox,
} from '../kernel-case.ts';

const reason = await whyNoSandbox();

const LIBC = `import ctypes, struct, os
c = ctypes.CDLL(None, use_errno=True)
def reads(path):
    fd = c.open(path.encode(), 0)
    return fd >= 0 and os.read(fd, 100) != b''
def makes(path): return c.creat(path.encode(), 0o644) >= 0
def connects(family, address):
    s = c.socket(family, 1, 0)
    return s >= 0 and c.connect(s, address, len(address)) == 0
def check(worked): print('reached' if worked else 'held')
`;

type Attempt = [what: string, code: string, defended: Partial<KernelSpec>, control: Partial<KernelSpec>];

const BARE = { sandbox: false };
const OPEN = { policy: EVERYTHING, sandbox: false };
const ATTEMPTS: Attempt[] = [
  ['reads above its folder', 'check(reads(ROOT + "/secret"))', { policy: FILES }, BARE],
  ['reads above by ..', 'check(reads("../secret"))', { policy: FILES }, BARE],
  [
    'reads through its own link',
    'l = os.environ["TMPDIR"] + "/l"; c.symlink((ROOT + "/secret").encode(), l.encode()); check(reads(l))',
    { policy: FILES },
    { ...BARE, policy: EVERYTHING },
  ],
  [
    'reads its folder without files',
    'check(reads(WORK + "/data.txt"))',
    { policy: NOTHING },
    { policy: FILES },
  ],
  ['reads .woof', 'check(reads(WORK + "/.woof/secret"))', { policy: FILES }, BARE],
  [
    'reads the data directory',
    'check(reads(WORK + "/hidden/secret"))',
    { policy: FILES },
    { policy: FILES, hidden: [] },
  ],
  [
    'writes the data directory',
    'check(makes(WORK + "/hidden/planted"))',
    { policy: FILES },
    { policy: FILES, hidden: [] },
  ],
  [
    'renames the data directory',
    'check(c.rename((WORK + "/hidden").encode(), (WORK + "/moved").encode()) == 0 and c.rename((WORK + "/moved").encode(), (WORK + "/hidden").encode()) == 0)',
    { policy: FILES },
    { policy: FILES, hidden: [] },
  ],
  ['runs a program without shell', 'check(c.system(b"true") == 0)', { policy: FILES }, { policy: SHELL }],
  [
    'executes a program it wrote',
    'open("/tmp/p", "w").write("#!/bin/sh\\ntrue\\n"); os.chmod("/tmp/p", 0o755); check(c.system(b"/tmp/p") == 0)',
    { policy: FILES },
    { policy: SHELL },
  ],
  [
    'connects without network',
    'check(connects(2, struct.pack("<H", 2) + struct.pack(">H", PORT) + bytes([127, 0, 0, 1]) + bytes(8)))',
    { policy: FILES },
    { policy: NETWORK },
  ],
  [
    'connects to a socket file without files',
    'check(connects(1, struct.pack("<H", 1) + (WORK + "/s").encode() + b"\\0"))',
    { policy: NOTHING },
    { policy: FILES },
  ],
  [
    'connects to a socket file above',
    'check(connects(1, struct.pack("<H", 1) + (ROOT + "/s").encode() + b"\\0"))',
    { policy: FILES },
    BARE,
  ],
  ['signals a process outside', 'check(c.kill(VICTIM, 0) == 0)', { policy: EVERYTHING }, OPEN],
  ['sees a process outside', 'check(reads("/proc/%d/stat" % VICTIM))', { policy: EVERYTHING }, OPEN],
  ['reads its environment', 'check(reads("/proc/%d/environ" % VICTIM))', { policy: EVERYTHING }, OPEN],
  ['enters its folder', 'check(reads("/proc/%d/cwd/secret" % VICTIM))', { policy: EVERYTHING }, OPEN],
  [
    'takes the host’s environment',
    'check(b"WOOF_TEST_SECRET" in open("/proc/self/environ", "rb").read())',
    {},
    { env: { WOOF_TEST_SECRET: 'x' } },
  ],
  [
    'makes a program that runs as its owner',
    'check(makes(WORK + "/suid") and c.chmod((WORK + "/suid").encode(), 0o4755) == 0 and os.stat(WORK + "/suid").st_mode & 0o4000)',
    { policy: FILES },
    BARE,
  ],
  ['mounts', 'check(c.unshare(0x10000000) == 0)', { policy: EVERYTHING }, BARE],
  [
    'writes the system’s settings',
    'check(c.open(b"/proc/sys/kernel/domainname", 1) >= 0)',
    { policy: EVERYTHING },
    BARE,
  ],
];

describeUnless(reason)('the boundary around a Python kernel', () => {
  const kernels = new KernelCase();
  const { root, workdir } = kernels;
  const servers: Server[] = [];
  let victim: ChildProcess;
  let port = 0;

  beforeAll(async () => {
    mkdirSync(join(workdir, 'hidden'));
    chmodSync(join(workdir, 'hidden'), 0o777);
    writeFileSync(join(workdir, 'hidden', 'secret'), 'the secret');
    victim = spawn('sleep', ['1000'], { cwd: root, env: { PATH: process.env.PATH, OWN: 'x' } });
    process.env.WOOF_TEST_SECRET = 'the secret';
    for (const where of [
      { port: 0, host: '127.0.0.1' },
      { path: join(root, 's') },
      { path: join(workdir, 's') },
    ]) {
      const server = createServer((socket) => socket.end().on('error', () => undefined));
      await new Promise<void>((resolve) => server.listen(where, resolve));
      servers.push(server);
    }
    for (const path of [join(root, 's'), join(workdir, 's')]) chmodSync(path, 0o777);
    port = ((servers[0] as Server).address() as { port: number }).port;
  });
  afterAll(async () => {
    delete process.env.WOOF_TEST_SECRET;
    victim.kill('SIGKILL');
    for (const server of servers) server.close();
    await kernels.remove();
  });

  async function attempt(code: string, spec: Partial<KernelSpec>): Promise<string> {
    const names = `ROOT, WORK, PORT, VICTIM = ${JSON.stringify(root)}, ${JSON.stringify(workdir)}, ${port}, ${victim.pid}\n`;
    const kernel = await kernels.start('python', { hidden: [join(workdir, 'hidden')], ...spec });
    const { stdout, error } = await runCell(kernel, LIBC + names + code, { declared: EVERYTHING });
    await kernel.close();
    return stdout + (error ? `${error.ename}: ${error.evalue}` : '');
  }

  it.each(ATTEMPTS)('%s', async (what, code, defended, control) => {
    expect(await attempt(code, defended)).not.toContain('reached');
    // Without a boundary, only root may do these.
    if (what === 'mounts' || what === 'writes the system’s settings') if (process.getuid?.() !== 0) return;
    expect(await attempt(code, control)).toContain('reached');
  });

  it('writes into the folder only with files', async () => {
    for (const policy of [NOTHING, FILES]) {
      await attempt('makes(WORK + "/planted")', { policy });
      expect(existsSync(join(workdir, 'planted'))).toBe(policy === FILES);
    }
  });

  it('ends daemons with the kernel', async () => {
    const daemon = `import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        held = open("pipe", "w")
        open("there", "w").close()
        while True: time.sleep(1000)
    os._exit(0)
os.wait()
while not os.path.exists("there"): time.sleep(0.005)`;
    const [pipe, there] = [join(workdir, 'pipe'), join(workdir, 'there')];
    execFileSync('mkfifo', ['-m', '666', pipe]);
    for (const sandbox of [true, false]) {
      const kernel = await kernels.start('python', { policy: FILES, sandbox });
      const reading = createReadStream(pipe).resume();
      // A pipe ends when its last writer does.
      const gone = once(reading, 'end');
      expect((await runCell(kernel, daemon)).error).toBeUndefined();
      expect(reading.readableEnded).toBe(false);
      await kernel.close();
      await gone;
      rmSync(there);
    }
  });

  it('ends a kernel that uses too much memory, and says so', async () => {
    const kernel = await kernels.start('python', { memoryMb: 128 });
    const { status, error, transient } = await runCell(kernel, 'x = bytearray(500 << 20)');
    expect([status, transient]).toEqual([error?.ename === 'MemoryError' ? 'error' : 'died', false]);
    expect(error?.evalue).toMatch(/out of memory.*memory_mb=128/);
    const fits = await kernels.start('python', { memoryMb: 2048 });
    expect((await runCell(fits, 'x = bytearray(500 << 20)')).status).toBe('ok');
  });

  it('has a bounded temporary folder and a bounded number of processes', async () => {
    const kernel = await kernels.start('python');
    const { result } = await runCell(kernel, 'import os; s = os.statvfs("/tmp"); s.f_blocks * s.f_frsize');
    expect(result).toBe(String(1024 ** 3));
    const forks = `import os, signal
pids = []
try:
    while len(pids) < 2000:
        pid = os.fork()
        if pid == 0: signal.pause()
        pids.append(pid)
except BlockingIOError: pass
for pid in pids: os.kill(pid, 9); os.waitpid(pid, 0)
len(pids)`;
    expect(Number((await runCell(kernel, forks)).result)).toBeLessThanOrEqual(512);
  });
});
