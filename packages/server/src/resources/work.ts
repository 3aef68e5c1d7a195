/**
 * The calls of workers: a thin layer over the service that a worker in this process calls directly.
 *
 * Calls: packages/protocol/src/http/work.ts.
 */
import type { JsonObject } from '@woof/net';
import { checkProtocol, type RouteName } from '@woof/protocol';
import type { Call, Handler, Handlers } from '../handler.ts';
import type { Parts } from '../parts.ts';

type WorkCall = Extract<RouteName, `work.${string}`>;
/** Calls that name their worker. */
type OfWorker = Exclude<WorkCall, 'work.exit' | 'work.log'>;

export function work({ work: service }: Parts): Handlers<'work'> & Handlers<'plans'> {
  /** A caller that names a worker must have the token of that worker. */
  const as = <N extends OfWorker>(handle: Handler<N>) =>
    understood<N>((async (call: Call<N>) => {
      await service.admit((call.body as { worker: string }).worker, call.who.id);
      return handle(call);
    }) as Handler<N>);
  return {
    'plans.get': async ({ params }) => (await service.plan(params.hash)) as unknown as JsonObject,
    'work.claim': as<'work.claim'>(({ body, signal }) => service.claim(body, signal)),
    'work.report': as<'work.report'>(({ body }) => service.report(body)),
    'work.beat': as<'work.beat'>(({ body }) => service.beat(body)),
    'work.leave': as<'work.leave'>(async ({ body }) => void (await service.leave(body))),
    'work.child': as<'work.child'>(({ body }) => service.child(body)),
    'work.cancelChild': as<'work.cancelChild'>(async ({ body }) => void (await service.cancelChild(body))),
    'work.enter': as<'work.enter'>(({ body }) => service.enter(body)),
    'work.exit': understood<'work.exit'>(async ({ body }) => void (await service.exit(body))),
    'work.log': understood<'work.log'>(async ({ body }) => void (await service.log(body))),
    'work.secrets': as<'work.secrets'>(({ body, reply }) => {
      reply.header('cache-control', 'no-store');
      return service.secrets(body);
    }),
  };
}

function understood<N extends WorkCall>(handle: Handler<N>): Handler<N> {
  return (call) => {
    const { headers } = call as Call<WorkCall>;
    checkProtocol(headers['woof-protocol']);
    return handle(call);
  };
}
