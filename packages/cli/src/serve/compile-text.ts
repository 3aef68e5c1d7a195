/**
 * A document's text to a plan, as a server compiles it: with the tools of this program, and from no folder.
 *
 * The safety policy of the server is judged here, and what it finds goes along in the plan: a worker elsewhere has a file
 * of its own, and neither can allow what the other blocks.
 */
import { compileNotebook, readDocument } from '@woof/documents';
import type { JsonObject, Plan } from '@woof/net';
import { type Block, judgeBlock, type Rules } from '@woof/policy';
import type { Compiled } from '@woof/server';
import { isRight } from '../read-plan.ts';
import { toolKinds } from '../tool-kinds.ts';

export function compilerOf(rules: Rules | undefined): (text: string, file?: string) => Compiled {
  return (text, file) => {
    const read = readDocument(text, {
      ...(file === undefined ? {} : { file }),
      ...(rules === undefined ? {} : { rules: () => rules }),
      kinds: toolKinds(),
    });
    const { kind, diagnostics, notebook, schedules = [] } = read;
    if (!isRight(read)) return { kind, diagnostics };
    if (notebook) return { kind, diagnostics, schedules, plan: compileNotebook(notebook, {}) };
    const plan = read.plan!;
    const hasRules = rules !== undefined && plan.kind === 'workflow';
    return { kind, diagnostics, schedules, plan: hasRules ? judged(plan, rules) : plan };
  };
}

function judged(plan: Plan, rules: Rules): Plan {
  const steps = plan.steps.map((step) => {
    if (!step.tasks.some(({ kind }) => kind === 'exec')) return step;
    return { ...step, tasks: step.tasks.map((task) => ({ ...task, input: withFindings(task, rules) })) };
  });
  return { ...plan, steps };
}

function withFindings({ kind, input }: Plan['steps'][number]['tasks'][number], rules: Rules): JsonObject {
  if (kind !== 'exec') return input;
  const { decision, warnings, violations } = judgeBlock(input as unknown as Block, rules);
  return decision === 'allow' ? input : { ...input, policy: { warnings, violations } };
}
