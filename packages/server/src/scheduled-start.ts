/** How a schedule starts a run: with the newest version of its document, under the id that the scheduler assigns. */
import type { Schedule, ScheduledRun } from '@woof/engine';
import { Problem } from '@woof/protocol';
import type { SharedStore } from '@woof/stores';
import type { Catalogue } from './catalogue.ts';
import { type DeclaredSchedules, stillDeclared } from './declared-schedules.ts';
import type { ServerLog } from './log/server-log.ts';
import type { ServerMetrics } from './metrics/server-metrics.ts';
import type { Starter } from './starter.ts';

interface ScheduledStartParts {
  store: SharedStore;
  catalogue: Catalogue;
  declared: DeclaredSchedules;
  starter: Starter;
  metrics: ServerMetrics;
  log: ServerLog;
}

/** Throws temporary errors, so that the start is retried. Returns errors that a person must fix. */
export function scheduledStart({ store, catalogue, declared, starter, metrics, log }: ScheduledStartParts) {
  const found = async (path: string) => {
    try {
      return await catalogue.get(path);
    } catch (error) {
      // Whoever removed the document may not have got as far as its schedules.
      if (error instanceof Problem && error.code === 'not-found') await declared.settle(path);
      throw error;
    }
  };
  const begin = async (schedule: Schedule, { execution_id: executionId, due_at }: ScheduledRun) => {
    if (await store.execution(executionId)) return;
    const { path, payload, allow, priority, schedule_id } = schedule;
    const { text, file } = await found(path);
    const { plan, schedules = [] } = catalogue.runnable(text, file);
    if (!stillDeclared(schedule, schedules)) {
      await declared.settle(path);
      throw new Problem(
        'request/conflict',
        `the document ${path} no longer declares this schedule in the same way`,
      );
    }
    await starter.begin({
      plan,
      text,
      source: {
        ...(file === undefined ? {} : { file }),
        schedule: schedule_id,
        scheduled_at: new Date(due_at).toISOString(),
      },
      workload: { ...plan.workload, ...payload },
      executionId,
      ...(allow ? { granted: allow } : {}),
      ...(priority === undefined ? {} : { more: { priority } }),
    });
  };
  return async (schedule: Schedule, run: ScheduledRun): Promise<{ refused: string } | undefined> => {
    const fields = { schedule_id: schedule.schedule_id, execution_id: run.execution_id };
    try {
      await begin(schedule, run);
      metrics.scheduled('started');
      log.info('scheduled run started', fields);
      return undefined;
    } catch (error) {
      if (!(error instanceof Problem) || error.code === 'request/too-many') throw error;
      metrics.scheduled('failed');
      log.warn('scheduled run cannot be started', { ...fields, error: error.message });
      return { refused: error.message };
    }
  };
}
