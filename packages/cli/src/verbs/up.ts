import { locateData } from '../data-directory.ts';
import { limitsOf } from '../limit-flags.ts';
import { aboutToken, SERVER_OPTIONS, startServer } from '../serve/start-server.ts';
import { startWorker, WORKER_OPTIONS } from '../serve/start-worker.ts';
import { fatally, GRACE, graceOf, untilStopped } from '../serve/until-stopped.ts';
import { DATA, defineVerb } from '../verb.ts';

export const verb = defineVerb({
  args: [],
  options: {
    ...SERVER_OPTIONS,
    ...WORKER_OPTIONS,
    grace: GRACE,
    detach: { doc: 'start it in the background, wait until it is ready and return' },
    json: { doc: 'print address and token as one line of JSON when it listens' },
    data: DATA,
  },
  about:
    'A server and one worker in one process: everything that one machine needs. With --detach it goes on in the background until woof server stop; if one runs in this folder already, nothing is started and the status is 0.',
  examples: [
    ['woof up', 'then, in the same folder: woof submit FILE'],
    ['woof up --detach', 'in the background; stop it with: woof server stop'],
    ['woof up --slots 8 --listen 127.0.0.1:8000', 'eight jobs at once, at another port'],
  ],
  async run(_args, flags) {
    const graceMs = graceOf(flags.grace);
    if (flags.detach) return (await import('../serve/detach.ts')).detach(flags);
    const { fatal, onFatal } = fatally();
    const { server, data, adminToken, stopAsked } = await startServer(flags, onFatal);
    const here = locateData(data.path);
    const { value_bytes: valueBytes } = limitsOf(flags.limit);
    const worker = startWorker(flags, {
      api: server.work,
      blobs: data.blobs,
      data: here,
      onFatal,
      valueBytes,
    });
    if (flags.json)
      console.log(JSON.stringify({ url: server.url, token: adminToken ?? null, pid: process.pid }));
    else {
      console.error(`woof listens on ${server.url}, with worker ${worker.id}\n  docs    ${server.url}/docs`);
      console.error(`  token   ${aboutToken(adminToken)}`);
    }
    const stop = async () => {
      await worker.stop(graceMs);
      await server.stop(graceMs);
      await data.close();
    };
    return untilStopped(stop, fatal, stopAsked);
  },
});
