import { describeUnless } from '@woof/testkit';
import { afterAll, expect, it } from 'vitest';
import { cellDenials } from '../cell-denials.ts';
import { exerciseKernel } from '../exercise-kernel.ts';
import { EVERYTHING, KernelCase, NOTHING, runCell, SHELL, whyNoSandbox } from '../kernel-case.ts';

await exerciseKernel('bash', {
  spec: { policy: SHELL },
  assign: (value) => `x=${value}`,
  print: 'echo $x',
  alternate: 'for p in "a b" "c d" "e f"; do set -- $p; echo $1; echo $2 >&2; done',
  ordered: false,
  fail: ['\nnosuch_program', 'ExitStatus', /line 2: nosuch_program/],
  exit: ['exit 3', 'ExitStatus'],
  closes: 'exec 0<&- 1>&- 2>&-',
  endless: 'while :; do :; done',
  suicide: 'kill -9 $$',
  flood: (bytes) => `head -c ${bytes} /dev/zero | tr '\\0' x`,
  invalidUtf8: "printf 'a\\xff\\xc3\\xa9\\n'",
  printBound: `echo "\${given[0]} \${given[1]}"; [[ \${woof[not-an-identifier]} == '{"deep":[{}]}' ]]`,
  printParameter: `echo \${parameters[greeting]}`,
  forge: (line) => `for i in {3..399}; do echo '${line}' >&$i; done 2>/dev/null; true`,
  setList: 'values=(1 "two \\"x\\"")',
  listRead: ['1', 'two "x"'],
});

const reason = await whyNoSandbox();

describeUnless(reason)('a bash kernel', () => {
  const kernels = new KernelCase();
  afterAll(() => kernels.remove());
  const start = () => kernels.start('bash', { policy: SHELL });

  it('needs shell, for the kernel and for each cell', async () => {
    await expect(kernels.start('bash')).rejects.toMatchObject({
      name: 'PolicyError',
      message: expect.stringMatching(/sidefx=shell.*io_policy.allow_shell: true/),
    });
    const { error } = await runCell(await start(), 'true', { declared: NOTHING });
    expect(error).toMatchObject({ ename: 'PolicyError', evalue: expect.stringContaining('allow_shell') });
  });

  it('names only what is missing if shell is allowed', async () => {
    await expect(kernels.start('bash', { denials: cellDenials(SHELL) })).rejects.toMatchObject({
      message: expect.stringMatching(
        /which is not allowed in this cell: add sidefx=shell to the cell \(type=bash/,
      ),
    });
  });

  it('returns values according to their declaration, whatever they contain and are called', async () => {
    const kernel = await start();
    await runCell(
      kernel,
      'name="Ada Lovelace"; export loud="A B"; list=(1 2); key=k kind=v; declare -A map=([a]=b); declare -ra fixed=(x)',
    );
    const names = ['name', 'loud', 'list', 'key', 'kind', 'map', 'fixed'];
    const values = [];
    for (const each of names) values.push(await kernel.read(each));
    expect(values).toEqual(['Ada Lovelace', 'A B', ['1', '2'], 'k', 'v', { a: 'b' }, ['x']]);
  });

  it('returns control characters', async () => {
    const kernel = await start();
    await runCell(kernel, `code=$'a\\x01\\b\\x1b\\\\\\n\\x1f&'; list=($'\\f' to)`);
    expect([await kernel.read('code'), await kernel.read('list')]).toEqual([
      'a\u0001\b\u001b\\\n\u001f&',
      ['\f', 'to'],
    ]);
  });

  it('returns values if the cell made names readonly', async () => {
    const kernel = await start();
    await runCell(kernel, `readonly text=$'a\x01b' mark=m code=5 to=t from=f`);
    expect([await kernel.read('text'), await kernel.read('code')]).toEqual(['a\u0001b', '5']);
  });

  it('keeps variables, arrays, functions and the working directory, even after exit', async () => {
    const kernel = await start();
    await runCell(kernel, 'a=(1 "2 3"); declare -A m=([k]=v); export E=e; f() { echo "f $1"; }; cd sub');
    for (const code of [':', 'exit 3', 'set -e; false']) {
      await runCell(kernel, code);
      const { stdout } = await runCell(
        kernel,
        `echo "\${a[1]}" "\${m[k]}" "$(printenv E)" "$(f x)" "\${PWD##*/}"`,
      );
      expect(stdout).toBe('2 3 v e f x sub\n');
    }
  });

  it('moves variables, functions, options, the working directory and bound values to a shell with another policy', async () => {
    const kernel = await start();
    await kernel.bind('given', { k: 'v' });
    await runCell(
      kernel,
      `a=(1 $'2\\n"3'); declare -r fixed=r; f() { echo "f $1"; }; shopt -s nullglob; T=/tmp; cd sub`,
    );
    const moved = await kernels.start('bash', { policy: EVERYTHING });
    await moved.load((await kernel.save())!);
    const { stdout } = await runCell(
      moved,
      `echo "\${a[1]}" $fixed "$(f x)" "\${PWD##*/}" \${given[k]} $T; shopt nullglob`,
    );
    expect(stdout).toBe('2\n"3 r f x sub v /tmp\nnullglob       \ton\n');
  });

  it('names the policy behind a refusal by the system, even if the cell continues', async () => {
    const kernel = await start();
    const attempt = 'exec 9<>/dev/tcp/127.0.0.1/9';
    const named = /network access is not allowed.*sidefx=net.*io_policy.allow_network: true.*--allow network/;
    expect((await runCell(kernel, `(${attempt})`)).error?.evalue).toMatch(named);
    expect(await runCell(kernel, `(${attempt}); true`)).toMatchObject({
      status: 'ok',
      stderr: expect.stringMatching(named),
    });
    const allowed = await kernels.start('bash', { policy: EVERYTHING });
    expect((await runCell(allowed, `(${attempt}); true`)).stderr).not.toMatch(named);
  });

  it('cannot write into a folder that it may not see', async () => {
    const kernel = await kernels.start('bash', { policy: { ...EVERYTHING, allow_files: false } });
    const named = /access to the files of the notebook is not allowed.*sidefx=fs.*allow_files: true/;
    expect((await runCell(kernel, 'echo x > made.txt')).error?.evalue).toMatch(named);
    const { stderr } = await runCell(kernel, 'echo x > made.txt; cat made.txt; true');
    expect(stderr).toMatch(named);
    expect((await runCell(kernel, 'echo x > "$TMPDIR/made.txt"; cat "$TMPDIR/made.txt"')).stdout).toBe('x\n');
  });

  it.each([
    ['true; false', 1],
    ['false; true', 0],
    ['set -e; false; true', 1],
    ['set -o pipefail; false | true', 1],
    ['false | true', 0],
    ['set -u; echo $nobody_set_this', 127],
    ['exit 42', 42],
    ['return 5', 5],
    ['(exit 6)', 6],
    ["bash -c 'kill -9 $$'", 137],
    ['if then', 2],
  ])('ends %j with status %d', async (code, status) => {
    const kernel = await start();
    const { error } = await runCell(kernel, code);
    expect(error?.evalue).toBe(status === 0 ? undefined : `the cell ended with exit code ${status}`);
    expect((await runCell(kernel, 'false; echo on')).stdout).toBe('on\n');
  });

  it.each(['', '; exit 1'])('dies with a reason when the cell closes every descriptor%s', async (more) => {
    const kernel = await start();
    const ran = await runCell(kernel, `for fd in {3..255}; do eval "exec $fd>&-"; done${more}`);
    expect(ran).toMatchObject({
      status: 'died',
      error: { evalue: 'the bash kernel ended with exit code 70' },
    });
    expect(ran.stderr).toContain('the cell closed descriptors that its kernel needs');
  });

  it('runs a trap on EXIT at the end of its cell', async () => {
    const kernel = await start();
    expect((await runCell(kernel, 'trap "echo bye" EXIT; echo hi')).stdout).toBe('hi\nbye\n');
    expect((await runCell(kernel, 'trap "echo bye" EXIT; exit 1')).stdout).toBe('bye\n');
    expect((await runCell(kernel, 'echo hi')).stdout).toBe('hi\n');
  });

  it('shows the channel to no program', async () => {
    const { stdout } = await runCell(await start(), 'ls /proc/self/fd | tr "\\n" " "');
    expect(stdout).toBe('0 1 2 3 ');
  });
});
