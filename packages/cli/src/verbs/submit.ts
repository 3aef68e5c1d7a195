import { basename, isAbsolute } from 'node:path';
import { isExecBlock, type Plan, type Task } from '@woof/net';
import { GRANTS, grantsOf } from '../grants.ts';
import { HOME_OPTIONS } from '../home-flags.ts';
import { readPlan, refuseInvalid } from '../read-plan.ts';
import { connect } from '../remote/connect.ts';
import { registerDocument } from '../remote/register-document.ts';
import { startRun } from '../remote/start-run.ts';
import { told } from '../remote/wait-for-end.ts';
import { applySets, unknownSets } from '../set-flags.ts';
import { harmless } from '../terminal.ts';
import { UPGRADE } from '../upgrade-text.ts';
import { UserError } from '../user-error.ts';
import { defineVerb } from '../verb.ts';
import { warnOf } from '../warn-of.ts';

export const verb = defineVerb({
  args: ['FILE'],
  options: {
    set: {
      doc: 'set a workload value or notebook parameter; VALUE is YAML, and a dot in KEY sets a nested value; repeatable',
      value: 'KEY=VALUE',
      many: true,
    },
    allow: GRANTS,
    upgrade: UPGRADE,
    priority: { doc: 'runs with a higher priority go first when workers are busy (default: 0)', value: 'N' },
    key: { doc: 'idempotency key: start the run only once per key (default: a random key)', value: 'KEY' },
    register: { doc: 'store the document and its schedules on the server without starting a run' },
    wait: { doc: 'wait until the run ends or waits for approval, as woof run does' },
    quiet: { doc: 'hide progress and summary' },
    json: { doc: 'print JSON' },
    ...HOME_OPTIONS,
  },
  about:
    'The server stores the run, and its workers perform the jobs. Without --wait, Woof prints the run id and returns.',
  examples: [
    ['woof submit orders.yaml --server http://127.0.0.1:9663', 'start a run on that server'],
    ['woof submit orders.yaml --wait --json | tail -1', 'start a run and wait for its report'],
    ['woof submit common/notify.yaml --register', 'let other playbooks call this one'],
  ],
  async run([file = ''], flags) {
    const read = readPlan(file, '.', { upgrade: flags.upgrade ?? false });
    const plan = refuseInvalid(read, file);
    const client = connect(flags);
    const document = { text: read.text, file: basename(read.source.file) };
    if (flags.register) {
      const kept = await registerDocument(client, document);
      console.log(flags.json ? JSON.stringify(kept) : `${kept.path}@${kept.version}`);
      return 0;
    }
    const sets = flags.set ?? [];
    const payload = applySets(plan.workload, sets, { keepTypes: plan.kind === 'notebook' });
    const allow = grantsOf(flags.allow);
    const body = {
      ...document,
      ...(sets.length > 0 ? { payload } : {}),
      ...(allow ? { allow } : {}),
      ...(flags.priority === undefined ? {} : { priority: priorityOf(flags.priority) }),
    };
    if (!flags.quiet)
      for (const text of [...unknownSets(plan, sets, read.text), ...emptyFolder(plan, file)])
        process.stderr.write(`warning: ${harmless(text)}\n`);
    const started = await startRun(client, body, flags.key);
    if ('status' in started) return started.status;
    if (!flags.quiet) warnOf(started.diagnostics, read.text, file);
    return told(client, started.id, flags, { file: read.source.file });
  },
});

const isInFolder = (task: Task) => isExecBlock(task) && !isAbsolute(String(task.input.workdir ?? '.'));

/** `woof run` would find the files beside the document. */
function emptyFolder({ kind, steps }: Plan, file: string): string[] {
  const hasBlocks = steps.some(({ tasks }) => tasks.some(isInFolder));
  if (kind !== 'workflow' || !hasBlocks) return [];
  return [
    `on a server, a stage starts in an empty directory, without the files next to ${file}. To use them: woof run ${file}`,
  ];
}

function priorityOf(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value)) return value;
  throw new UserError(`--priority ${text}: expected a whole number`, 'for example --priority 10', 2);
}
