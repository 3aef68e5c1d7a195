/** The tools of simulated workers: each effect is checked against the rules when it starts. */
import { failure, type Outcome } from '@woof/net';
import type { Tool, ToolCall } from '@woof/tools';
import { KINDS, type Kind } from './faults.ts';
import type { Effect } from './log-watch.ts';
import type { World } from './world.ts';

export function toolsOf(world: World): Map<string, Tool> {
  return new Map(KINDS.map((kind) => [kind, toolOf(world, kind)]));
}

function toolOf(world: World, kind: Kind): Tool {
  const isPure = kind === 'pure';
  return {
    schema: { kind, summary: '', fields: {}, ...(isPure ? { pure: true } : {}) },
    run: async (call): Promise<Outcome> => {
      const effect = effectOf(call);
      if (!isPure) begin(world, call, effect);
      world.quiet?.toolStarts(call.executionId, effect.jobId);
      if (kind === 'slow') await world.time.sleep(world.random.delay(1, 2000));
      world.quiet?.toolEnds(call.executionId, effect.jobId);
      const fails = world.happens('tool-fails', 0.1);
      if (fails) return failure('timeout', 'slow');
      const { saw } = call.input;
      return { status: 'ok', result: saw ? { of: effect.taskRunId, saw } : call.attempt };
    },
  };
}

function begin(world: World, { executionId }: ToolCall, effect: Effect): void {
  world.effects += 1;
  world.guard(() => world.watch.checkEffect(executionId, effect));
  world.guard(() => world.owners?.startsEffect(executionId, world.who));
}

/** The key is execution/task run/attempt, and a task run begins with its job. */
function effectOf({ executionId, idempotencyKey, fence }: ToolCall): Effect {
  const taskRun = idempotencyKey
    .slice(executionId.length + 1)
    .split('/')
    .slice(0, -1);
  return { jobId: taskRun.slice(0, -1).join('/'), taskRunId: taskRun.join('/'), fence };
}
