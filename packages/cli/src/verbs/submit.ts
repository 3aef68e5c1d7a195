import { basename } from 'node:path';
import { GRANTS, grantsOf } from '../grants.ts';
import { HOME_OPTIONS } from '../home-flags.ts';
import { readPlan, refuseInvalid } from '../read-plan.ts';
import { connect } from '../remote/connect.ts';
import { registerDocument } from '../remote/register-document.ts';
import { startRun } from '../remote/start-run.ts';
import { told } from '../remote/wait-for-end.ts';
import { applySets } from '../set-flags.ts';
import { UPGRADE } from '../upgrade-text.ts';
import { UserError } from '../user-error.ts';
import { defineVerb } from '../verb.ts';
import { warnOf } from '../warn-of.ts';

export const verb = defineVerb({
  args: ['FILE'],
  options: {
    set: { doc: 'set a workload value (YAML, dots nest); repeatable', value: 'KEY=VALUE', many: true },
    allow: GRANTS,
    upgrade: UPGRADE,
    priority: { doc: 'higher goes first where workers are short (0)', value: 'N' },
    key: { doc: 'start it once, however often it is submitted under this key', value: 'KEY' },
    register: { doc: 'keep the document and its schedules at the server, and start nothing' },
    wait: { doc: 'wait for the end, as woof run does' },
    quiet: { doc: 'no progress and no summary' },
    json: { doc: 'print JSON' },
    ...HOME_OPTIONS,
  },
  about: 'The server keeps the run and its workers do it; without --wait, its id is printed.',
  examples: [
    ['woof submit orders.yaml --server http://127.0.0.1:9663', 'start it there'],
    ['woof submit orders.yaml --wait --json | tail -1', 'and wait for what comes of it'],
    ['woof submit common/notify.yaml --register', 'make it known to playbooks that call it'],
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
    const started = await startRun(client, body, flags.key);
    if ('status' in started) return started.status;
    if (!flags.quiet) warnOf(started.diagnostics, read.text, file);
    return told(client, started.id, flags, { file: read.source.file });
  },
});

function priorityOf(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value)) return value;
  throw new UserError(`--priority ${text}: expected a whole number`, 'for example --priority 10', 2);
}
