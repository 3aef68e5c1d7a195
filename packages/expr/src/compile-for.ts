/** Owns: for loops, including filtered and recursive ones. */

import { assign, targetNames } from './assign.ts';
import type { StatementOf } from './ast.ts';
import { truthOf } from './compare.ts';
import type { CompileContext, Evaluator, Writer } from './compile-context.ts';
import { iterate } from './iterate.ts';
import { Loop } from './loop.ts';
import type { Frame } from './runtime.ts';
import { TextBuffer } from './text-buffer.ts';

interface LoopPlan {
  readonly statement: StatementOf<'for'>;
  readonly filter: Evaluator | undefined;
  readonly body: Writer;
  readonly otherwise: Writer;
}

export function compileFor(context: CompileContext, statement: StatementOf<'for'>): Writer {
  const source = context.value(statement.items);
  const names = targetNames(statement.target);
  const plan: LoopPlan = {
    statement,
    filter: statement.filter && context.scoped(names, () => context.expression(statement.filter!)),
    body: context.block([...names, 'loop'], statement.body),
    otherwise: context.block([], statement.otherwise),
  };
  return (frame, out) => {
    const items = source(frame);
    frame.rt.at = statement.items;
    runLoop(plan, frame, out, items, 0);
  };
}

function runLoop(plan: LoopPlan, frame: Frame, out: TextBuffer, value: unknown, depth: number): void {
  const items = chosen(plan, frame, iterate(frame.rt, value));
  const loop = new Loop(items, depth, plan.statement, recursion(plan, frame, depth));
  const rounds = frame.inner();
  rounds.set('loop', loop);
  let round = rounds.inner();
  for (let index = 0; index < items.length; index++) {
    frame.rt.spend();
    round = round.next();
    assign(round, plan.statement.target, items[index]);
    loop.index = index;
    plan.body(round, out);
  }
  if (items.length === 0) plan.otherwise(frame, out);
}

/** What `loop(…)` does in the body. */
function recursion(plan: LoopPlan, frame: Frame, depth: number): ((items: unknown) => string) | undefined {
  if (!plan.statement.recursive) return undefined;
  frame.keep();
  return (items) => recurseInto(plan, frame, items, depth + 1);
}

function recurseInto(plan: LoopPlan, frame: Frame, items: unknown, depth: number): string {
  return frame.rt.enter(() => {
    const out = new TextBuffer();
    runLoop(plan, frame, out, items, depth);
    return out.text;
  });
}

function chosen(plan: LoopPlan, frame: Frame, items: readonly unknown[]): readonly unknown[] {
  const { filter } = plan;
  if (!filter) return items;
  let round = frame.inner();
  return Array.from(items).filter((item) => {
    round = round.next();
    assign(round, plan.statement.target, item);
    return truthOf(frame.rt, filter(round));
  });
}
