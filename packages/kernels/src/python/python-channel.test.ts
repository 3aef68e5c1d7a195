/** What cells can do to the driver's channel, and how the host reacts. */
import { describeUnless } from '@woof/testkit';
import { afterAll, expect, it } from 'vitest';
import { KernelCase, runCell, SHELL, whyNoSandbox } from '../kernel-case.ts';

const reason = await whyNoSandbox();

/** Code in the same interpreter can find the driver: `P` is its protocol, `CHANNEL` its descriptor. */
const FIND = `import sys, os
frame = sys._getframe()
while 'CHANNEL' not in frame.f_globals: frame = frame.f_back
driver = frame.f_globals
def say(line): os.write(driver['CHANNEL'], (line + "\\n").encode())
def end(n, token): say('{"n":%d,"token":"%s","kind":"end"}' % (n, token))
`;

describeUnless(reason)('the channel of a Python kernel', () => {
  const kernels = new KernelCase();
  afterAll(() => kernels.remove());

  it('is visible to no program and no forked process', async () => {
    const kernel = await kernels.start('python', { policy: SHELL });
    const listing =
      'import subprocess; print(subprocess.check_output(["ls", "/proc/self/fd"], close_fds=False).split())';
    expect((await runCell(kernel, listing)).stdout).toBe("[b'0', b'1', b'2', b'3']\n");
    const forked = `import os
if os.fork() == 0:
    for fd in range(3, 1000):
        try: os.write(fd, b"junk\\n")
        except OSError: pass
    os._exit(0)
os.wait()`;
    expect((await runCell(kernel, forked)).status).toBe('ok');
    expect(await runCell(kernel, forked.replace('os.fork()', '0'))).toMatchObject({ status: 'died' });
  });

  it('gives one answer for a cell that forks and lets both processes continue', async () => {
    const kernel = await kernels.start('python');
    const { status, stdout } = await runCell(
      kernel,
      'import os\npid = os.fork()\nif pid: os.wait()\nprint("one" if pid else "two")',
    );
    expect([status, stdout.split('\n').sort()]).toEqual(['ok', ['', 'one', 'two']]);
    expect((await runCell(kernel, '1 + 1')).result).toBe('2');
  });

  it('refuses the token of an earlier cell; only a running cell can answer for itself', async () => {
    const kernel = await kernels.start('python');
    expect((await runCell(kernel, `${FIND}old = driver['P'].token`)).status).toBe('ok');
    const replay = await runCell(kernel, `end(driver['P'].n, old)`);
    expect(replay.error?.evalue).toMatch(/without the token of its request/);
    const other = await kernels.start('python');
    const own = await runCell(other, `${FIND}end(driver['P'].n, driver['P'].token)`);
    expect(own.status).toBe('ok');
  });

  it.each([
    [
      'a line after the cell',
      `${FIND}import threading\nthreading.Timer(0.05, say, ['{"n":1,"token":"","kind":"end"}']).start()`,
    ],
    ['marks out of order', `${FIND}driver['P'].marks = 5\ndriver['mark']()`],
    [
      'a mark in one stream only',
      `${FIND}os.write(1, ("\\x1e%s%08x\\x1e" % (driver['P'].token, 1)).encode())`,
    ],
  ])('ends the kernel for %s', async (_, code) => {
    const kernel = await kernels.start('python');
    await runCell(kernel, code);
    const { status } = await runCell(kernel, 'import time; display(1); time.sleep(1000)');
    expect([status, kernel.alive]).toEqual(['died', false]);
  });

  it('passes on output that only resembles a mark', async () => {
    const kernel = await kernels.start('python');
    const { stdout } = await runCell(kernel, 'print("\\x1e" + "0" * 40 + "\\x1e", "\\x1e")');
    expect(stdout).toBe(`\x1e${'0'.repeat(40)}\x1e \x1e\n`);
  });

  it('dies with a reason when the cell closes every descriptor', async () => {
    const kernel = await kernels.start('python');
    const { status, stderr } = await runCell(kernel, 'import os; os.closerange(3, 1024)');
    expect([status, stderr]).toEqual(['died', expect.stringContaining('the cell closed descriptors')]);
    expect(kernel.alive).toBe(false);
  });

  it('survives a cell that closes or replaces stdout', async () => {
    const kernel = await kernels.start('python', { policy: SHELL });
    await runCell(kernel, 'import os, sys\nkeep = os.dup(1)\nos.close(1)');
    await runCell(kernel, 'os.dup2(keep, 1); sys.stdout = None');
    expect(await runCell(kernel, '5')).toMatchObject({ status: 'ok', result: '5' });
  });
});
