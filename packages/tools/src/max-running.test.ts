import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@woof/net';
import { describeUnless } from '@woof/testkit';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { CodeCase, FILES, SHELL_AND_FILES, whyNot } from './code-case.ts';
import { createPythonTool } from './python/python-tool.ts';
import { createShellTool } from './shell/shell-tool.ts';
import { defaultMaxRunning } from './turnstile.ts';

const reason = await whyNot();

const TASKS = 30;
const MOST = Math.min(defaultMaxRunning(), TASKS);

/** How many run at once, counted when as many as may do, or when no other is left to begin. */
const PYTHON_COUNT = `import os, time
for kind in ("begun", "in"): open(f"{kind}-{n}", "w").close()
count = lambda kind: len([name for name in os.listdir(".") if name.startswith(kind + "-")])
result = 0
while result < ${MOST} and count("begun") < ${TASKS}:
    time.sleep(0.005)
    result = max(result, count("in"))
os.remove(f"in-{n}")`;
const SHELL_COUNT = `touch begun-$N in-$N
most=0
while [ $most -lt ${MOST} ] && [ "$(ls | grep -c '^begun-')" -lt ${TASKS} ]; do
  sleep 0.005
  now=$(ls | grep -c '^in-')
  [ $now -le $most ] || most=$now
done
echo $most; rm in-$N`;
const PYTHON_WAIT = 'import os, time\nwhile not os.path.exists("go"): time.sleep(0.01)';

const kinds = [
  {
    kind: 'python',
    create: createPythonTool,
    spec: FILES,
    count: (n: number): JsonObject => ({ code: PYTHON_COUNT, args: { n } }),
    counted: (result: unknown) => result as number,
    wait: { code: PYTHON_WAIT },
    quick: { code: '' },
  },
  {
    kind: 'shell',
    create: createShellTool,
    spec: SHELL_AND_FILES,
    count: (n: number): JsonObject => ({ cmds: SHELL_COUNT, env: { N: String(n) } }),
    counted: (result: unknown) => Number((result as { stdout: string }).stdout),
    wait: { cmds: 'while [ ! -e go ]; do sleep 0.01; done' },
    quick: { cmds: 'true' },
  },
];

describeUnless(reason).each(kinds)('many tasks of kind $kind', ({ create, spec, ...kind }) => {
  const many = new CodeCase(create());
  const single = new CodeCase(create({ maxRunning: 1 }));
  afterAll(() => Promise.all([many.remove(), single.remove()]));

  it('at once: as many as the limit run, all finish', async () => {
    const tasks = Array.from({ length: TASKS }, (_, n) => many.run(kind.count(n), spec));
    const counts = (await Promise.all(tasks)).map((outcome) => {
      expect(outcome.status, JSON.stringify(outcome)).toBe('ok');
      return kind.counted(outcome.result);
    });
    expect(Math.max(...counts)).toBe(MOST);
  });

  it('waiting ends with the signal, and does not count towards the timeout', async () => {
    await single.run(kind.quick, spec);
    const first = single.run(kind.wait, spec);
    const controller = new AbortController();
    const dropped = single.run(kind.quick, spec, { signal: controller.signal });
    vi.useFakeTimers({ toFake: ['setTimeout', 'Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const patient = single.run({ ...kind.quick, timeout_seconds: 600 }, spec);
    controller.abort();
    expect(await dropped).toMatchObject({ status: 'error', error: { kind: 'cancelled' } });
    vi.advanceTimersByTime(3_600_000);
    vi.useRealTimers();
    writeFileSync(join(single.workdir, 'go'), '');
    expect(await Promise.all([first, patient])).toMatchObject([{ status: 'ok' }, { status: 'ok' }]);
  });
});
