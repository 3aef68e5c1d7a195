/** What a task may do, what it leaves to the next, and that it cannot reach the zygote from which it is forked. */

import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describeUnless } from '@woof/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { CodeCase, FILES, SHELL, whyNot } from '../code-case.ts';
import { createPythonTool } from './python-tool.ts';

const reason = await whyNot();

describeUnless(reason)('python tasks', () => {
  const python = new CodeCase(createPythonTool());
  const { workdir, root } = python;
  afterAll(() => python.remove());

  it.each([
    ['open("data.txt")', 'files'],
    ['import os; os.listdir(".")', 'files'],
    ['import os; os.remove("data.txt")', 'files'],
    ['import sqlite3; sqlite3.connect("x.db")', 'files'],
    ['import socket; socket.create_connection(("127.0.0.1", 1))', 'network'],
    ['import urllib.request; urllib.request.urlopen("http://127.0.0.1:1/")', 'network'],
    ['import os; os.system("true")', 'shell'],
    ['import subprocess; subprocess.run(["true"])', 'shell'],
    ['try:\n    open("data.txt")\nexcept OSError as e:\n    raise RuntimeError("wrapped") from e', 'files'],
  ])('names the key that would allow %j', async (code, key) => {
    for (const sandbox of [true, false]) {
      const { error, py } = await python.run({ code }, {}, { sandbox });
      expect(error).toMatchObject({ kind: 'policy', retryable: false, exception_type: 'PolicyError' });
      expect(error?.message).toContain(`set spec.io_policy.allow_${key}: true, or run with --allow ${key}`);
      expect(py?.line).toBeGreaterThan(0);
    }
  });

  it('uses files, network and shell if they are allowed', async () => {
    const read = await python.run(
      { code: 'open("new.txt", "w").write("x"); result = open("data.txt").read()' },
      FILES,
    );
    expect(read.result).toBe('the data');
    expect(readFileSync(join(workdir, 'new.txt'), 'utf8')).toBe('x');
    const ran = await python.run(
      { code: 'import subprocess; result = subprocess.check_output("echo hi", shell=True).decode()' },
      SHELL,
    );
    expect(ran.result).toBe('hi\n');
    const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1');
    const granted = { allow_files: false, allow_network: true, allow_shell: false };
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const code = `import socket; result = socket.create_connection(("127.0.0.1", ${port})).recv(9).decode()`;
    expect((await python.run({ code }, {}, { granted })).result).toBe('hello');
    server.close();
  });

  it('never shows .woof or anything above the folder', async () => {
    for (const path of ['.woof/secret', '../secret', join(root, 'secret'), '/etc/passwd']) {
      for (const sandbox of [true, false]) {
        const { error } = await python.run({ code: `open(${JSON.stringify(path)})` }, FILES, { sandbox });
        // The sandbox has its own /tmp, in which the path is usable and empty.
        expect(error?.message).toMatch(
          sandbox
            ? /allows only the folder of the document|No such file/
            : /allows only the folder of the document/,
        );
      }
    }
  });

  it('hides the data directory wherever it is', async () => {
    const hidden = [join(workdir, 'sub')];
    for (const sandbox of [true, false]) {
      const { error } = await python.run({ code: 'import os; os.listdir("sub")' }, FILES, {
        hidden,
        sandbox,
      });
      expect(error?.kind).toBe('policy');
    }
    const beneath = 'import ctypes; result = ctypes.CDLL(None).creat(b"sub/planted", 0o644) >= 0';
    expect(await python.run({ code: beneath }, FILES, { hidden })).toMatchObject({ result: false });
    expect(existsSync(join(workdir, 'sub', 'planted'))).toBe(false);
  });

  it('uses temporary files, threads and processes without any permission', async () => {
    const code = `import tempfile, threading, multiprocessing
def square(x): return x * x
with tempfile.NamedTemporaryFile() as f: f.write(b'x')
seen = []
t = threading.Thread(target=lambda: seen.append(1)); t.start(); t.join()
with multiprocessing.get_context('fork').Pool(2) as p: result = [p.map(square, [1, 2, 3]), seen]`;
    expect(await python.run({ code })).toMatchObject({ status: 'ok', result: [[1, 4, 9], [1]] });
  });

  describe('leave nothing to the next', () => {
    it.each([
      ['globals', 'leak = 1', 'result = "leak" in globals()'],
      [
        'builtins',
        'import builtins; builtins.leak = 1',
        'import builtins; result = hasattr(builtins, "leak")',
      ],
      ['modules', 'import sys; sys.modules["leak"] = sys', 'import sys; result = "leak" in sys.modules'],
      ['the environment', 'import os; os.environ["LEAK"] = "1"', 'import os; result = "LEAK" in os.environ'],
      [
        'a temporary file',
        'import os; os.makedirs("/tmp/leak/a"); open("/tmp/leak/a/b", "w"); os.chmod("/tmp/leak/a", 0)',
        'import os; result = os.path.exists("/tmp/leak")',
      ],
      [
        'shared memory',
        'open("/dev/shm/leak", "w").write("x")',
        'import os; result = os.path.exists("/dev/shm/leak")',
      ],
      [
        'the working directory',
        'import os; os.chdir("/tmp")',
        `import os; result = os.getcwd() != ${JSON.stringify(workdir)}`,
      ],
      [
        'a file in a folder that is not allowed',
        'import ctypes; ctypes.CDLL(None).creat(b"leak.txt", 0o644)',
        'import ctypes; result = ctypes.CDLL(None).access(b"leak.txt", 0) == 0',
      ],
      [
        'a process',
        'import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: time.sleep(1000)\n    os._exit(0)\nos.wait()',
        'import ctypes, os; result = [n for n in range(3, 400) if n != os.getpid() and ctypes.CDLL(None).kill(n, 0) == 0] != []',
      ],
      [
        'a limit of the zygote',
        'import resource, os; resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (50, 60))',
        'import resource; result = resource.getrlimit(resource.RLIMIT_NOFILE)[0] == 50',
      ],
      [
        'a System V queue',
        'import ctypes; assert ctypes.CDLL(None).msgget(77, 0o1666) >= 0',
        'import ctypes; result = ctypes.CDLL(None).msgget(77, 0) >= 0',
      ],
    ])('of %s', async (_name, first, second) => {
      expect(await python.run({ code: first })).toMatchObject({ status: 'ok' });
      expect(await python.run({ code: second })).toEqual({ status: 'ok', result: false });
    });

    it('of the arguments, in the memory that the next is forked from', async () => {
      const scan = `import re
marker = ('needle-' + 'in-memory').encode()
found = 0
for line in open('/proc/self/maps'):
    m = re.match(r'(\\w+)-(\\w+) rw', line)
    if not m: continue
    a, b = int(m[1], 16), int(m[2], 16)
    with open('/proc/self/mem', 'rb', 0) as mem:
        try:
            mem.seek(a)
            found += mem.read(b - a).count(marker + b':secret')
        except (OSError, ValueError): pass
result = found`;
      const own = await python.run({ code: scan, args: { mine: 'needle-in-memory:secret' } });
      expect(own.result, 'the attempt itself must work').toBeGreaterThan(0);
      expect((await python.run({ code: scan })).result).toBe(0);
    });
  });

  describe('cannot reach the zygote', () => {
    it.each([
      ['its memory', 'import ctypes; result = ctypes.CDLL(None).open(b"/proc/%d/mem" % ppid, 2) >= 0'],
      [
        'its descriptors',
        'import os\ntry: result = os.listdir("/proc/%d/fd" % ppid) is not None\nexcept OSError: result = False',
      ],
      [
        'its channel by pidfd_getfd',
        'import ctypes; libc = ctypes.CDLL(None); result = libc.syscall(438, libc.syscall(434, ppid, 0), 3, 0) >= 0',
      ],
      ['it by ptrace', 'import ctypes; result = ctypes.CDLL(None).ptrace(16, ppid, 0, 0) == 0'],
      [
        'the channel as its own descriptor',
        'import os, stat\nresult = False\nfor fd in range(3, 256):\n    try: result = result or stat.S_ISSOCK(os.fstat(fd).st_mode)\n    except OSError: pass',
      ],
    ])('by %s', async (_name, code) => {
      expect(await python.run({ code: `import os; ppid = os.getppid()\n${code}` })).toMatchObject({
        result: false,
      });
    });

    it('and forging on its own result channel forges only its own result', async () => {
      const forge = `import os
for fd in range(3, 64):
    try: os.write(fd, b'{"kind":"value"}\\n"forged"' + b'X\\x00\\x00\\x00\\x04\\x00\\x00\\x00\\x00' * 3)
    except OSError: pass
result = 1`;
      const forged = await python.run({ code: forge });
      expect(forged.status).toBe('error');
      expect(await python.run({ code: 'result = "mine"' })).toEqual({ status: 'ok', result: 'mine' });
    });

    it('and a flood on that channel ends the sandbox, not the host', async () => {
      const flood = `import os
while True:
    for fd in range(3, 64):
        try: os.write(fd, b'x' * 65536)
        except OSError: pass`;
      expect((await python.run({ code: flood })).status).toBe('error');
    });
  });

  it('keeps the files of a working directory that is in the temporary folder', async () => {
    await python.run({ code: 'open("kept.txt", "w").write("x")' }, FILES);
    await python.run({ code: 'result = 1' }, FILES);
    expect(existsSync(join(workdir, 'kept.txt'))).toBe(true);
  });

  it('runs many at once, each with its own data', async () => {
    const runs = Array.from({ length: 12 }, (_, n) =>
      python.run({ code: 'import time; time.sleep(0.05); result = n', args: { n } }),
    );
    expect((await Promise.all(runs)).map((outcome) => outcome.result)).toEqual(
      Array.from({ length: 12 }, (_, n) => n),
    );
  });
});
