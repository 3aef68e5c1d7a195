/** What workers call: thin over the service that a worker in this process calls directly. */
import type { ChildCall, ReportRequest } from '@woof/protocol';
import type { Handlers } from '../handler.ts';
import type { Parts } from '../parts.ts';

export function work({ work: service }: Parts): Handlers<'work'> & Handlers<'plans'> {
  return {
    'plans.get': async ({ params }) => (await service.plan(params.hash)) as never,
    'work.claim': async ({ body, signal }) => ({ ...(await service.claim(body, signal)) }),
    'work.report': ({ body }) => service.report(body as unknown as ReportRequest),
    'work.beat': async ({ body }) => ({ ...(await service.beat(body)) }),
    'work.leave': async ({ body }) => void (await service.leave(body)),
    'work.child': async ({ body }) => ({ ...(await service.child(body as unknown as ChildCall)) }),
    'work.cancelChild': async ({ body }) => void (await service.cancelChild(body)),
    'work.enter': ({ body }) => service.enter(body),
    'work.exit': async ({ body }) => void (await service.exit(body)),
    'work.log': async ({ body }) => void (await service.log(body)),
    'work.secrets': ({ body, reply }) => {
      reply.header('cache-control', 'no-store');
      return service.secrets(body);
    },
  };
}
