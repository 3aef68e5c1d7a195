/**
 * Schedules: create, read, list, change, remove, pause, start.
 *
 * Calls: packages/protocol/src/http/schedules.ts.
 */
import type { Handlers } from '../handler.ts';
import type { Parts } from '../parts.ts';
import type { Asked } from '../schedules.ts';

export function schedules({ schedules: all }: Parts): Handlers<'schedules'> {
  return {
    'schedules.create': ({ body: { schedule_id, ...asked } }) => all.create(schedule_id, asked as Asked),
    'schedules.list': ({ query }) => all.list(query),
    'schedules.get': ({ params: { id } }) => all.get(id),
    'schedules.update': ({ params: { id }, body }) => all.update(id, body as Asked),
    'schedules.remove': async ({ params: { id } }) => {
      await all.remove(id);
      return undefined;
    },
    'schedules.pause': ({ params: { id } }) => all.pause(id),
    'schedules.resume': ({ params: { id } }) => all.resume(id),
    'schedules.backfill': async ({ params: { id }, body, reply }) => {
      const answer = await all.backfill(id, body);
      if ('times' in answer) reply.code(200);
      return answer;
    },
    'schedules.run': ({ params: { id } }) => all.run(id),
  };
}
