/**
 * Only the process that performs a task reads secrets. Whatever makes decisions or is stored (arcs, admission, loops,
 * patches, the args of steps and of nested playbooks) would carry them into the log. The command line of a container
 * would show them to all users of the machine.
 */
import { isTemplate } from '@woof/expr';
import { entriesRead, type Json, type Loop, type Plan, type Step, type Task } from '@woof/net';
import { problems } from './diagnostics.ts';
import type { Reading } from './reading.ts';

export function refuseSecretsInLog(reading: Reading, plan: Plan): void {
  const refuse: Refuse = (value, path, where, problem = problems.secretInLog) => {
    if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) refuse(item, `${path}/${key}`, where, problem);
    } else if (typeof value === 'string' && isTemplate(value) && entriesRead(value).length > 0) {
      const [line, column] = reading.where.get(path) ?? [1, 1];
      reading.report(problem({ line, column, endColumn: column + 1 }, where));
    }
  };
  for (const step of plan.steps) refuseInStep(step, refuse, reading.kinds);
  for (const task of Object.values(plan.blocks))
    refuseInTask(task, `workbook/${task.label}`, refuse, reading.kinds);
}

type Refuse = (
  value: Json | undefined,
  path: string,
  where: string,
  problem?: typeof problems.secretInLog,
) => void;

function refuseInStep(step: Step, refuse: Refuse, kinds: Reading['kinds']): void {
  const { name } = step;
  step.admit.forEach((rule, i) => {
    refuse(rule.when, `${name}/admit/${i}/when`, 'an admission rule');
  });
  refuse(step.args, `${name}/args`, '`args` of a step');
  refuse(step.setCtx, `${name}/set_ctx`, '`set_ctx`');
  refuseInLoop(step.loop, `${name}/loop`, refuse);
  step.next.arcs.forEach((arc, i) => {
    refuse(arc.when, `${name}/next/${i}/when`, 'an arc');
    refuse(arc.args, `${name}/next/${i}/args`, '`args` of an arc');
  });
  for (const task of step.tasks) refuseInTask(task, `${name}/tool/${task.label}`, refuse, kinds);
}

function refuseInLoop(loop: Loop | undefined, path: string, refuse: Refuse): void {
  if (!loop) return;
  refuse(loop.in, `${path}/in`, '`loop.in`');
  refuse(loop.maxInFlight, `${path}/max_in_flight`, '`max_in_flight`');
  refuseInLoop(loop.inner, `${path}/inner`, refuse);
}

function refuseInTask(task: Task, path: string, refuse: Refuse, kinds: Reading['kinds']): void {
  task.rules?.forEach((rule, i) => {
    refuse(rule.when, `${path}/rules/${i}/when`, 'a rule');
    for (const [key, value] of Object.entries(rule.then))
      refuse(value as Json, `${path}/rules/${i}/then/${key}`, `\`${key}\` of a rule`);
  });
  refuse(task.spec.limit, `${path}/spec/limit`, '`limit`');
  const schema = kinds.get(task.kind);
  for (const [key, { onCommandLine }] of Object.entries(schema?.fields ?? {}))
    if (onCommandLine) refuse(task.input[key], `${path}/${key}`, key, problems.secretOnCommandLine);
  if (!schema?.keepsInput) return;
  for (const [key, value] of Object.entries(task.input))
    refuse(value, `${path}/${key}`, `\`${key}\` of a nested playbook`);
}
