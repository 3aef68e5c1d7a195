import { testCells } from '@woof/documents';
import { newExecutionId } from '@woof/engine';
import { accountOf, type State } from '@woof/net';
import { checkEnvironment, INSTALL } from '../check-environment.ts';
import { DRIVE_OPTIONS, drive } from '../drive.ts';
import { GRANTS, grantsOf } from '../grants.ts';
import { junitOf } from '../junit.ts';
import { readPlan, refuseInvalid, refuseUngranted } from '../read-plan.ts';
import { applySets } from '../set-flags.ts';
import { UserError } from '../user-error.ts';
import { defineVerb } from '../verb.ts';
import { writeAtomically } from '../write-atomically.ts';

export const verb = defineVerb({
  args: ['FILE'],
  options: {
    set: {
      doc: 'set a parameter; VALUE is YAML, and a dot in KEY sets a nested value; repeatable',
      value: 'KEY=VALUE',
      many: true,
    },
    allow: GRANTS,
    junit: { doc: 'also write a JUnit report to this file', value: 'OUT' },
    install: INSTALL,
    ...DRIVE_OPTIONS,
  },
  about: 'Woof runs only the test cells and the cells they depend on. The exit code is 1 if a test fails.',
  examples: [
    ['woof test analysis.woofnb', 'run the tests'],
    ['woof test analysis.woofnb --junit report.xml', 'also write a report for CI'],
  ],
  async run([file = ''], flags) {
    const whole = readPlan(file);
    const { notebook } = whole;
    if (notebook === undefined)
      throw new UserError(`${file} is not a notebook`, 'use woof test only with notebooks', 2);
    const tests = testCells(notebook);
    if (tests.length === 0) {
      refuseInvalid(whole, file);
      throw new UserError(`${file} has no test cells`, 'add a cell with type=test', 2);
    }
    const read = readPlan(file, '.', { cells: tests });
    const plan = refuseInvalid(read, file);
    const granted = grantsOf(flags.allow);
    refuseUngranted(read, file, granted);
    await checkEnvironment(notebook, flags);
    const workload = applySets(plan.workload, flags.set ?? [], { keepTypes: plan.kind === 'notebook' });
    const id = newExecutionId(Date.now());
    let last: State | undefined;
    const status = await drive({ id, file: read.source.file }, flags, async ({ engine }) => {
      const started = engine.start({
        executionId: id,
        plan,
        source: read.source,
        workload,
        ...(granted && { granted }),
      });
      const end = engine.finished(id);
      await started;
      last = await end;
      return last;
    });
    if (last) report(last, tests, flags.junit, flags.json !== true && flags.quiet !== true);
    return status;
  },
});

function report(state: State, tests: readonly string[], junit: string | undefined, speak: boolean): void {
  const { steps } = accountOf(state);
  const count = (status: string) => tests.filter((id) => steps[id]?.status === status).length;
  const line = `${count('succeeded')} passed, ${count('failed')} failed, ${count('skipped')} skipped`;
  if (speak) process.stdout.write(`${line}\n`);
  if (junit) writeAtomically(junit, junitOf(state, tests));
}
