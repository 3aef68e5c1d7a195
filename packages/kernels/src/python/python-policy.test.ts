/**
 * A cell that uses what it did not declare, in a kernel that may do everything. Every attempt prints "reached" if it
 * works. The control is the same code in a cell that declares it.
 */

import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { describeUnless } from '@woof/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Kernel } from '../kernel.ts';
import { EVERYTHING, KernelCase, NOTHING, runCell, SHELL, whyNoSandbox } from '../kernel-case.ts';

const reason = await whyNoSandbox();

const FILE_ATTEMPTS = [
  'open("data.txt").read(); print("reached")',
  'import os; os.open("data.txt", os.O_RDONLY); print("reached")',
  'import os; os.open("mine.txt", os.O_RDWR | os.O_CREAT); print("reached")',
  'import pathlib; pathlib.Path("made.txt").write_text("x"); print("reached")',
  'import pathlib; pathlib.Path("data.txt").read_bytes(); print("reached")',
  'import io; io.FileIO("data.txt"); print("reached")',
  'import codecs; codecs.open("data.txt"); print("reached")',
  'import os; os.listdir("."); print("reached")',
  'import os; os.listdir(); print("reached")',
  'import os; list(os.scandir("sub")); print("reached")',
  'import glob, os; glob.glob("*.txt"); os.listdir(os.getcwd()); print("reached")',
  'import os; os.mkdir("m"); os.rmdir("m"); print("reached")',
  'import os; os.rename("data.txt", "d2"); os.rename("d2", "data.txt"); print("reached")',
  'import os; os.symlink("data.txt", "l"); os.remove("l"); print("reached")',
  'import os; os.link("mine.txt", "l2"); os.remove("l2"); print("reached")',
  'import os; os.chmod("mine.txt", 0o600); print("reached")',
  'import shutil, tempfile; shutil.copy("data.txt", tempfile.mkdtemp()); print("reached")',
  'import sqlite3; sqlite3.connect("x.db").execute("create table if not exists t(x)"); print("reached")',
  'import logging; logging.FileHandler("log.txt"); print("reached")',
  'open("/proc/self/cwd/data.txt").read(); print("reached")',
  'import own_module; print("reached")',
  'read(); print("reached")',
];
const NETWORK_ATTEMPTS = [
  'import socket; socket.create_connection(("127.0.0.1", PORT)).recv(5); print("reached")',
  'import socket; s = socket.socket(); s.connect(("127.0.0.1", PORT)); print("reached")',
  'import socket; socket.socket().bind(("127.0.0.1", 0)); print("reached")',
  'import socket; socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", PORT)); print("reached")',
  'import socket; socket.getaddrinfo("localhost", 80); print("reached")',
  'import asyncio; await asyncio.open_connection("127.0.0.1", PORT); print("reached")',
];
const SHELL_ATTEMPTS = [
  'import subprocess; subprocess.run(["true"]); print("reached")',
  'import subprocess; subprocess.check_output("true", shell=True); print("reached")',
  'import os; assert os.system("true") == 0; print("reached")',
  'import os; os.popen("true").read(); print("reached")',
  'import os; os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0); print("reached")',
  'import os; os.spawnv(os.P_WAIT, "/bin/echo", ["echo", "reached"])',
  'import os\npid = os.fork()\nos.execv("/bin/echo", ["echo", "reached"]) if pid == 0 else os.waitpid(pid, 0)',
  'import asyncio; await (await asyncio.create_subprocess_exec("true")).wait(); print("reached")',
];

/** Bypass the checks of Python's own functions, from the text of the cell. */
const NATIVE_ATTEMPTS = [
  'import ctypes; assert ctypes.CDLL(None).open(b"data.txt", 0) > 0; print("reached")',
  'import ctypes; assert ctypes.pythonapi.open(b"data.txt", 0) > 0; print("reached")',
  'import _ctypes; _ctypes.dlsym(_ctypes.dlopen(None, 2), "open"); print("reached")',
  'import ctypes; ctypes.c_long.from_address(id(1)); print("reached")',
  'import cffi; print("reached")',
  'import ctypes, os, sysconfig; os.chdir(sysconfig.get_path("stdlib")); ctypes.CDLL(None); print("reached")',
];

/** Each starts something that waits for "go", and puts the outcome of `attempt()` into "seen". */
const LEFTOVERS = [
  'thread = threading.Thread(target=later); thread.start()',
  'threading.Timer(0, later).start()',
  'import _thread; _thread.start_new_thread(later, ())',
  'from concurrent.futures import ThreadPoolExecutor; pool = ThreadPoolExecutor(); pool.submit(later)',
  'thread = threading.Thread(target=lambda: threading.Thread(target=later).start()); thread.start()',
  'import asyncio; loop = asyncio.new_event_loop(); loop.run_in_executor(None, later)',
];

const PREPARE = `import threading, queue
go, seen = threading.Event(), queue.Queue()
def later():
    go.wait()
    try:
        seen.put(attempt())
    except OSError as e:
        seen.put(f"{type(e).__name__}: {e}")`;

const ACTS: [attempt: string, sidefx: string][] = [
  ['def attempt(): return open("data.txt").read()', 'fs'],
  [
    'import socket\ndef attempt(): return socket.create_connection(("127.0.0.1", PORT)).recv(8).decode()',
    'net',
  ],
];

describeUnless(reason).each([true, false])(
  'what a Python cell did not declare, with sandbox %s',
  (sandbox) => {
    const kernels = new KernelCase();
    const server: Server = createServer((socket) => socket.end('hello').on('error', () => undefined));
    let kernel: Kernel;

    beforeAll(async () => {
      writeFileSync(join(kernels.workdir, 'own_module.py'), 'VALUE = 1\n');
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      kernel = await kernels.start('python', { policy: EVERYTHING, sandbox });
      await runCell(kernel, 'def read(): return open("data.txt").read()\nopen("mine.txt", "w").close()');
    });
    afterAll(async () => {
      server.close();
      await kernels.remove();
    });

    const attempts = [
      ...FILE_ATTEMPTS.map((code) => [code, 'fs', 'files']),
      ...NETWORK_ATTEMPTS.map((code) => [code, 'net', 'network']),
      ...SHELL_ATTEMPTS.map((code) => [code, 'shell', 'shell']),
    ] as [string, string, string][];

    it.each(attempts)('%s', async (code, sidefx, key) => {
      const { port } = server.address() as { port: number };
      const text = code.replaceAll('PORT', String(port));
      const { stdout, error, stderr } = await runCell(kernel, text, { declared: NOTHING });
      expect(stdout).not.toContain('reached');
      // A forked child reports it on stderr; spawnv and an import fail in their own way.
      const said = error ? `${error.ename}: ${error.evalue}` : stderr;
      if (!/own_module|spawnv/.test(code)) {
        expect(said).toContain('PolicyError');
        expect(said).toContain(`sidefx=${sidefx}`);
        expect(said).toContain(`io_policy.allow_${key}: true`);
      }
      await runCell(kernel, `import os; os.chdir(${JSON.stringify(kernels.workdir)})`);
      const control = await runCell(kernel, text, { declared: EVERYTHING });
      expect(control.stdout, JSON.stringify(control.error)).toContain('reached');
      await runCell(kernel, `import os; os.chdir(${JSON.stringify(kernels.workdir)})`);
    });

    it.each(NATIVE_ATTEMPTS)('%s', async (code) => {
      writeFileSync(join(kernels.workdir, 'cffi.py'), '');
      const { stdout, error } = await runCell(kernel, code, { declared: NOTHING });
      expect(stdout).toBe('');
      expect(error).toMatchObject({
        ename: 'PolicyError',
        evalue: expect.stringMatching(/^calling C code .*sidefx=fs.*sidefx=net.*sidefx=shell/),
      });
      expect((await runCell(kernel, code, { declared: EVERYTHING })).stdout).toBe('reached\n');
      await runCell(kernel, `import os; os.chdir(${JSON.stringify(kernels.workdir)})`);
    });

    it('lets libraries call C code, and also cells if the process may do no more than they may', async () => {
      const library =
        'import ctypes, ctypes.util, uuid, multiprocessing.sharedctypes\nprint(ctypes.sizeof(ctypes.c_int))';
      expect((await runCell(kernel, library, { declared: NOTHING })).stdout).toBe('4\n');
      const within = `import sysconfig
exec(compile("import cffi", sysconfig.get_path("stdlib") + "/library.py", "exec"))`;
      expect((await runCell(kernel, within, { declared: NOTHING })).error?.evalue ?? '').not.toContain(
        'C code',
      );
      const alone = await kernels.start('python', { sandbox });
      const code = 'import ctypes; print(ctypes.CDLL(None).abs(-3))';
      expect((await runCell(alone, code)).stdout).toBe('3\n');
    });

    it.each(LEFTOVERS)(
      'gives what a cell left running only the permissions of that cell: %s',
      async (start) => {
        const { port } = server.address() as { port: number };
        const happens = 'go.set(); print(seen.get(), flush=True)';
        for (const [attempt, sidefx] of ACTS) {
          const text = `${PREPARE}\n${attempt}\n${start}`.replaceAll('PORT', String(port));
          await runCell(kernel, text, { id: 'less', declared: NOTHING });
          const { stdout } = await runCell(kernel, happens, { id: 'more', declared: EVERYTHING });
          expect(stdout).toMatch(
            new RegExp(
              `^PolicyError: .*thread that cell "less" started\\) is not allowed in that cell: add sidefx=${sidefx} to cell "less"`,
            ),
          );
          await runCell(kernel, text, { id: 'more', declared: EVERYTHING });
          const control = await runCell(kernel, happens, { id: 'less', declared: NOTHING });
          expect(control.stdout).toBe(sidefx === 'fs' ? 'the data\n' : 'hello\n');
        }
      },
    );

    it.each(['await asyncio.to_thread(JOB)', 'await asyncio.get_event_loop().run_in_executor(None, JOB)'])(
      'gives each cell its own threads of the event loop: %s',
      async (use) => {
        const text = `import asyncio\nprint(${use})`;
        const code = text.replace('JOB', 'read');
        const idle = text.replace('JOB', 'lambda: 1');
        const denied = { ename: 'PolicyError' };
        for (const end of ['', '\n1 / 0']) {
          await runCell(kernel, idle + end, { declared: NOTHING });
          expect((await runCell(kernel, code, { declared: EVERYTHING })).stdout).toBe('the data\n');
          expect((await runCell(kernel, idle + end, { declared: EVERYTHING })).stdout).toBe('1\n');
          expect((await runCell(kernel, code, { declared: NOTHING })).error).toMatchObject(denied);
        }
      },
    );

    it('ends the tasks of a cell that fails', async () => {
      const attempt = 'async def attempt(): seen.append(read())';
      const fails = `seen = []\n${attempt}\ntask = asyncio.get_event_loop().create_task(attempt())\n1 / 0`;
      const waits = 'await asyncio.wait([task])\nprint(seen)';
      await runCell(kernel, 'import asyncio\nawait asyncio.sleep(0)');
      await runCell(kernel, fails, { declared: NOTHING });
      expect((await runCell(kernel, waits, { declared: EVERYTHING })).stdout).toBe('[]\n');
      const control = fails.replace('1 / 0', waits);
      expect((await runCell(kernel, control, { declared: EVERYTHING })).stdout).toBe("['the data']\n");
    });

    it('ends signal timers with the cell that set them', async () => {
      const set = `import signal, time
fired = []
signal.signal(signal.SIGALRM, lambda *_: fired.append(1))
signal.setitimer(signal.ITIMER_REAL, 1000)`;
      const left = 'print(signal.getitimer(signal.ITIMER_REAL)[0] > 0)';
      expect((await runCell(kernel, `${set}\n${left}`, { declared: NOTHING })).stdout).toBe('True\n');
      expect((await runCell(kernel, left, { declared: EVERYTHING })).stdout).toBe('False\n');
    });

    it('ends signal handlers with the cell that set them', async () => {
      const set = 'import signal\nfired = []\n_ = signal.signal(signal.SIGURG, lambda *_: fired.append(1))';
      const raise = 'signal.raise_signal(signal.SIGURG)\nprint(fired)';
      for (const end of ['', '\n1 / 0'])
        expect((await runCell(kernel, `${set}\n${raise}${end}`, { declared: NOTHING })).stdout).toBe('[1]\n');
      expect((await runCell(kernel, `fired = []\n${raise}`, { declared: EVERYTHING })).stdout).toBe('[]\n');
    });

    it('creates a subinterpreter, which has no checks, only if the cell may do all that its process may', async () => {
      const code = `import importlib, sys
name = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
interpreters = importlib.import_module(name)
interpreters.run_string(interpreters.create(), "print(open('data.txt').read(), flush=True)")`;
      const { stdout, error } = await runCell(kernel, code, { declared: NOTHING });
      expect(stdout).toBe('');
      expect(error).toMatchObject({
        ename: 'PolicyError',
        evalue: expect.stringMatching(/^creating a subinterpreter .*sidefx=fs.*sidefx=net.*sidefx=shell/),
      });
      expect((await runCell(kernel, code, { declared: EVERYTHING })).stdout).toBe('the data\n');
    });

    it('does not affect what needs no permission', async () => {
      const code = `import tempfile, threading, json, decimal, unittest, xml.dom.minidom, zoneinfo, multiprocessing, csv, email
with tempfile.NamedTemporaryFile() as f: f.write(b'x')
open('/dev/null', 'w').write('x')
zoneinfo.ZoneInfo('Europe/Berlin')
import sqlite3; sqlite3.connect(':memory:').execute('select 1')
seen = []
t = threading.Thread(target=lambda: seen.append(1)); t.start(); t.join()
seen`;
      expect(await runCell(kernel, code, { declared: NOTHING })).toMatchObject({
        status: 'ok',
        result: '[1]',
      });
    });

    it('finds the reason inside another error, and can be caught as an OSError', async () => {
      const wrapped = 'try:\n    open("data.txt")\nexcept OSError as e:\n    raise RuntimeError("x") from e';
      expect((await runCell(kernel, wrapped, { declared: NOTHING })).error?.ename).toBe('PolicyError');
    });
  },
);

describeUnless(reason)('a program that a Python cell starts', () => {
  const kernels = new KernelCase();
  afterAll(() => kernels.remove());

  it('has its messages explained if the system refuses it something', async () => {
    const hint =
      /access to the files of the notebook is not allowed.*sidefx=fs.*io_policy\.allow_files: true/;
    const kernel = await kernels.start('python', { policy: { ...SHELL, allow_files: false } });
    const run = (more: string) => `import subprocess; _ = subprocess.run(["touch", "made"]${more})`;
    expect((await runCell(kernel, run(', check=True'))).error?.evalue).toMatch(hint);
    expect(await runCell(kernel, run(''))).toMatchObject({
      status: 'ok',
      stderr: expect.stringMatching(hint),
    });
    const allowed = await kernels.start('python', { policy: EVERYTHING });
    expect(await runCell(allowed, run(', check=True'))).toMatchObject({ status: 'ok', stderr: '' });
  });
});
