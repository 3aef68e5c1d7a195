/**
 * A document's text to a plan, as a server compiles it: with the tools of this program, and from no folder.
 *
 * The server's safety policy is evaluated here, before any job exists, and its findings are part of the plan: a worker
 * elsewhere has a policy file of its own, and neither can allow what the other blocks.
 */
import { compileNotebook, readDocument } from '@woof/documents';
import { isExecBlock, type Plan, type Step } from '@woof/net';
import { type Block, DEFAULT_RULES, judgeBlock, type Rules } from '@woof/policy';
import type { Compiled } from '@woof/server';
import { isRight } from '../read-plan.ts';
import { knownKinds } from '../tool-kinds.ts';

export function compilerOf(rules: Rules = DEFAULT_RULES): (text: string, file?: string) => Compiled {
  return (text, file) => {
    const read = readDocument(text, {
      ...(file === undefined ? {} : { file }),
      rules: () => rules,
      ...knownKinds(),
    });
    const { kind, diagnostics, notebook, schedules = [] } = read;
    if (!isRight(read)) return { kind, diagnostics };
    if (notebook) return { kind, diagnostics, schedules, plan: compileNotebook(notebook, {}) };
    const plan = read.plan!;
    return { kind, diagnostics, schedules, plan: plan.kind === 'workflow' ? judged(plan, rules) : plan };
  };
}

function judged(plan: Plan, rules: Rules): Plan {
  return { ...plan, steps: plan.steps.map((step) => withFindings(step, rules)) };
}

/**
 * A stage that the rules block gets no job until a person approves it; for every stage the worker receives the
 * findings.
 */
function withFindings(step: Step, rules: Rules): Step {
  const [task] = step.tasks;
  if (!task || !isExecBlock(task)) return step;
  const { decision, warnings, violations } = judgeBlock(task.input as unknown as Block, rules);
  if (decision === 'allow') return step;
  const policy = { warnings, violations };
  const tasks = [{ ...task, input: { ...task.input, policy } }, ...step.tasks.slice(1)];
  return decision === 'block' ? { ...step, tasks, hold: policy } : { ...step, tasks };
}
