import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeJson, Float, type JsonObject } from '@woof/net';
import { describeUnless } from '@woof/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { EVERYTHING, FILES, KernelCase, runCell, SHELL, whyNoSandbox } from '../kernel-case.ts';
import { findKernelspecs, kernelspecFor, kernelspecNamed } from './kernelspecs.ts';

/** Our own kernels beside the installed ones, found through JUPYTER_PATH. */
const root = mkdtempSync(join(tmpdir(), 'woof-kernelspecs-'));
chmodSync(root, 0o755);
const before = process.env.JUPYTER_PATH;
process.env.JUPYTER_PATH = root;
afterAll(() => {
  if (before === undefined) delete process.env.JUPYTER_PATH;
  else process.env.JUPYTER_PATH = before;
  rmSync(root, { recursive: true, force: true });
});

function install(name: string, spec: object): string {
  const folder = join(root, 'kernels', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'kernel.json'), JSON.stringify({ display_name: name, ...spec }));
  return folder;
}

const IPYKERNEL = ['python3', '-m', 'ipykernel_launcher', '-f', '{connection_file}'];
install('martian-1', { argv: IPYKERNEL, language: 'Martian', env: { MOONS: 'two in {resource_dir}' } });
install('gone', { argv: ['no-such-program', '{connection_file}'], language: 'gone' });
install('early', {
  argv: [process.execPath, '-e', 'console.error("no licence"); process.exit(3)'],
  language: 'x',
});
const script = join(
  install('script', { argv: [join(root, 'kernels', 'script', 'start.sh')], language: 'y' }),
  'start.sh',
);
writeFileSync(script, '#!/bin/sh\necho "started with $1" >&2\nexit 4\n', { mode: 0o755 });
mkdirSync(join(root, 'kernels', 'no-kernel'));
writeFileSync(join(root, 'kernels', 'no-kernel', 'kernel.json'), '{"argv": 3}');

describe('kernelspecs', () => {
  it('are found by name in any case, and by language', async () => {
    const specs = await findKernelspecs();
    expect(kernelspecNamed(specs, 'MARTIAN-1')).toMatchObject({ name: 'martian-1', language: 'martian' });
    expect(kernelspecFor(specs, 'martian')?.name).toBe('martian-1');
    expect(kernelspecNamed(specs, 'no-kernel')).toBeUndefined();
    expect(kernelspecFor(specs, 'venusian')).toBeUndefined();
  });

  it('closer to the user hide those further away', async () => {
    const home = join(root, 'home');
    for (const [folder, name] of [
      [join(root, 'kernels', 'twice'), 'first'],
      [join(home, '.local', 'share', 'jupyter', 'kernels', 'Twice'), 'second'],
    ] as const) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'kernel.json'), JSON.stringify({ argv: ['x'], display_name: name }));
    }
    const of = async (env: Record<string, string>) =>
      kernelspecNamed(await findKernelspecs(env), 'twice')?.displayName;
    expect(await of({ HOME: home, JUPYTER_PATH: root })).toBe('first');
    expect(await of({ HOME: home })).toBe('second');
  });
});

const reason = await whyNoSandbox();
describeUnless(reason)('a kernel that cannot start', () => {
  const kernels = new KernelCase();
  afterAll(() => kernels.remove());

  it('is not installed: lists the installed ones, and suggests the nearest name', async () => {
    await expect(kernels.start('python', { kernel: 'martian1' })).rejects.toThrow(
      /^no kernel named "martian1"; did you mean "martian-1"\?; built-in languages: python, javascript, bash, r; installed Jupyter kernels: .*martian-1 \(martian\)/,
    );
    await expect(kernels.start('venusian')).rejects.toThrow(
      /^no kernel for the language "venusian"; built-in languages:/,
    );
  });

  it('has no program', async () => {
    await expect(kernels.start('gone')).rejects.toThrow(
      'the Jupyter kernel "gone" needs the program no-such-program, which does not exist',
    );
  });

  it('ends before it answers: reports the exit code and its messages', async () => {
    await expect(kernels.start('any', { kernel: 'early' })).rejects.toThrow(
      'the early kernel ended with exit code 3: no licence',
    );
  });

  it('starts through a script: needs shell, and gets it', async () => {
    await expect(kernels.start('any', { kernel: 'script' })).rejects.toThrow(
      /starts through the script .*start\.sh, which needs other programs: add sidefx=shell to its cells/,
    );
    await expect(kernels.start('any', { kernel: 'script', policy: SHELL })).rejects.toThrow(
      'the script kernel ended with exit code 4: started with',
    );
  });
});

const specs = await findKernelspecs();
const lacks = (name: string, of: string) =>
  reason ?? (kernelspecNamed(specs, name) ? undefined : `there is no Jupyter kernel ${name}: install ${of}`);

describeUnless(lacks('python3', 'python3-ipykernel'))('a Jupyter kernel', () => {
  const kernels = new KernelCase();
  afterAll(() => kernels.remove());
  const start = (spec = {}) => kernels.start('python', { kernel: 'python3', ...spec });

  it('shows what it displays, in order, and the last value', async () => {
    const code = `import sys
from IPython.display import display
print("out")
print("err", file=sys.stderr)
display({"image/png": "AAAA", "text/plain": "a picture"}, raw=True)
{"a": 1}`;
    const { outputs } = await runCell(await start(), code);
    expect(outputs).toEqual([
      { output_type: 'stream', name: 'stdout', text: 'out\n' },
      { output_type: 'stream', name: 'stderr', text: 'err\n' },
      {
        output_type: 'display_data',
        data: { 'image/png': 'AAAA', 'text/plain': 'a picture' },
        metadata: {},
      },
      { output_type: 'execute_result', data: { 'text/plain': "{'a': 1}" }, metadata: {} },
    ]);
  });

  it('keeps the numbers of JSON that it displays', async () => {
    const code = `from IPython.display import display
shown = {"application/json": {"n": 12345678901234567890, "f": 1.0, "__proto__": [1e300, -0.0]}, "text/plain": "\\n"}
display(shown, raw=True, metadata={"seen": 1.0})`;
    const { outputs } = await runCell(await start(), code);
    const [json] = Object.values((outputs[0] as { data: JsonObject }).data);
    expect(encodeJson(json)).toBe('{"n":12345678901234567890,"f":1.0,"__proto__":[1e+300,-0.0]}');
    expect(outputs).toEqual([
      {
        output_type: 'display_data',
        data: { 'application/json': json, 'text/plain': '\n' },
        metadata: { seen: new Float(1) },
      },
    ]);
  });

  it('continues after it displays or holds a number that is too long', async () => {
    const kernel = await start();
    const code = `import sys
from IPython.display import display
sys.set_int_max_str_digits(0)
long = 10 ** 4300
display({"application/json": {"n": long}, "text/plain": "a number"}, raw=True)`;
    const { outputs } = await runCell(kernel, code);
    expect(outputs).toEqual([
      {
        output_type: 'display_data',
        data: {
          'application/json': 'not shown: a number of 4301 digits is too long: the limit is 4300 digits',
          'text/plain': 'a number',
        },
        metadata: {},
      },
    ]);
    expect(await kernel.read('long')).toBeUndefined();
    expect((await runCell(kernel, 'print(len(str(long)))')).stdout).toBe('4301\n');
  });

  it('is interrupted at a timeout, and keeps its state', async () => {
    const kernel = await start();
    await runCell(kernel, 'x = 41');
    expect(await runCell(kernel, 'while True: pass', { timeoutMs: 300 })).toMatchObject({
      status: 'timeout',
    });
    expect(await runCell(kernel, 'print(x + 1)')).toMatchObject({ status: 'ok', stdout: '42\n' });
  });

  it('reports its end if a cell ends it', async () => {
    const kernel = await start();
    expect(await runCell(kernel, 'import os; os._exit(5)')).toMatchObject({
      ...{ status: 'died', transient: false },
      error: { ename: 'KernelDied', evalue: 'the python3 kernel ended with exit code 5' },
    });
    expect(kernel.alive).toBe(false);
  });

  it('does not inherit the channel of its driver', async () => {
    const code = `import os
links = lambda pid: {os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd") if os.path.lexists(f"/proc/{pid}/fd/{fd}")}
channel = os.readlink(f"/proc/{os.getppid()}/fd/3")
print(channel.startswith("socket:"), channel in links(os.getppid()), channel in links("self"))`;
    expect((await runCell(await start(), code)).stdout).toBe('True True False\n');
  });

  it('does not ask for input', async () => {
    const { error } = await runCell(await start(), 'input("name? ")');
    expect(error?.ename).toBe('StdinNotImplementedError');
  });

  const PROBE = `import os, socket, subprocess
def attempt(what):
    try:
        return what()
    except OSError as error:
        return type(error).__name__
def connect():
    with socket.create_connection(("127.0.0.1", PORT), 5) as found:
        return "connected"
print(attempt(lambda: open("data.txt").read()), attempt(connect), attempt(lambda: subprocess.check_output("/bin/echo shell", shell=True, text=True).strip()))
import ctypes, struct
libc = ctypes.CDLL(None)
address = struct.pack("=HH4s8x", 2, socket.htons(PORT), bytes([127, 0, 0, 1]))
print("past the hook:", libc.connect(libc.socket(2, 1, 0), address, 16) == 0, libc.system(b"true") == 0)`;

  it('may do nothing but compute, unless it is allowed', async () => {
    const { createServer } = await import('node:net');
    const server = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const code = PROBE.replaceAll('PORT', String((server.address() as { port: number }).port));
    const denied = await runCell(await start(), code);
    expect(denied.stdout).toBe('FileNotFoundError PolicyError PolicyError\npast the hook: False False\n');
    const allowed = await runCell(await start({ policy: EVERYTHING }), code);
    expect(allowed.stdout).toBe('the data connected shell\npast the hook: True True\n');
    server.close();
  });

  it('names the policy if IPython finds no shell for a command after !', async () => {
    const { error } = await runCell(await start(), '!ls');
    expect(error?.evalue).toMatch(/starting another program is not allowed in this cell: add sidefx=shell/);
  });

  it('sees the folder of the notebook only with files, and never the data directory', async () => {
    const code = 'import os; print(sorted(os.listdir(".")), sorted(os.listdir(".woof")))';
    expect((await runCell(await start({ policy: FILES }), code)).stdout).toBe(
      "['.woof', 'data.txt', 'sub'] []\n",
    );
  });

  it('moves what can be pickled to a process with another policy, and names what cannot', async () => {
    const kernel = await start();
    const made = 'import json, threading\nx = 5\ndef f(y): return json.dumps(x + y)\nlock = threading.Lock()';
    await runCell(kernel, 'lock = 0\ny = 1', { id: 'first' });
    await runCell(kernel, `${made}\ndef g(): return lock`, { id: 'prep' });
    await runCell(kernel, 'y = 2', { id: 'last' });
    const moved = await start({ policy: SHELL });
    await moved.load((await kernel.save())!);
    expect((await runCell(moved, 'print(f(1), y)')).stdout).toBe('6 2\n');
    const uses = ['lock.acquire()', 'if lock: pass', 'lock == 1', 'other = lock', 'print(lock)', 'str(lock)'];
    uses.push(
      '[lock]',
      'bool(lock)',
      'lock + 1',
      'lock.x = 1',
      'g()',
      'with lock: pass',
      'del lock',
      'lock += 1',
    );
    for (const use of uses) {
      expect((await runCell(moved, use, { id: 'use' })).error, use).toMatchObject({
        ename: 'NameError',
        evalue:
          'name \'lock\' is not defined: cell "prep" made it in a process with other permissions, and it cannot be pickled. ' +
          'Make it in this cell, or give both cells the same sidefx',
      });
    }
    const again = await start();
    await again.load((await moved.save())!);
    expect((await runCell(again, 'lock')).error?.evalue).toMatch(/cell "prep" made it/);
    expect((await runCell(again, 'nobody')).error?.evalue).toBe("name 'nobody' is not defined");
    await runCell(again, 'lock = 1');
    expect((await runCell(again, 'del lock; lock')).error?.evalue).toBe("name 'lock' is not defined");
  });

  it('dies if it uses more memory than it may', async () => {
    const ran = await runCell(
      await start({ memoryMb: 400 }),
      'x = bytearray(800 * 1024 * 1024)\nx[::4096] = b"1" * len(x[::4096])',
    );
    expect(ran.error?.evalue).toMatch(/ran out of memory: the cell may use memory_mb=400/);
  });

  it('of a language without code for values provides them as files', async () => {
    const kernel = await kernels.start('martian', { parameters: { city: 'Oslo' } });
    await kernel.bind('days', [3, 0]);
    const code = `import json, os
read = lambda name: json.load(open(os.path.join(os.environ["WOOF_VALUES"], name + ".json")))
print(read("parameters"), read("days"), os.environ["MOONS"].split("/")[-1])`;
    expect((await runCell(kernel, code)).stdout).toBe("{'city': 'Oslo'} [3, 0] martian-1\n");
    expect(await kernel.read('days')).toBeUndefined();
  });
});

describeUnless(lacks('ir', 'r-cran-irkernel'))('the R kernel of Jupyter', () => {
  const kernels = new KernelCase();
  afterAll(() => kernels.remove());

  it('shows values, plots and warnings', async () => {
    const ran = await runCell(await kernels.start('r', { kernel: 'ir' }), 'plot(1:3)\nwarning("hm")\n"é"');
    expect(ran).toMatchObject({ status: 'ok', stderr: expect.stringContaining('hm') });
    const shown = ran.outputs.flatMap((output) => ('data' in output ? [output.data] : []));
    expect(shown[0]).toMatchObject({ 'text/plain': '[1] "é"' });
    expect(shown[1]).toHaveProperty('image/png');
  });
});
