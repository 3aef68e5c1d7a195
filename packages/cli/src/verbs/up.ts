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
    detach: { doc: 'start in the background, wait until the server is ready, then return' },
    json: { doc: 'once listening, print {"url", "token", "pid"} on one line' },
    data: DATA,
  },
  about:
    'One machine needs nothing else. The server stores its admin token in the data directory, and without --detach also prints it at startup. With --detach it runs in the background until woof server stop. If a server already runs in this folder, --detach starts nothing and exits with 0.',
  examples: [
    ['woof up', 'then, in the same folder: woof submit FILE'],
    ['woof up --detach', 'run in the background; stop it with: woof server stop'],
    ['woof up --slots 8 --listen 127.0.0.1:8000', 'run eight jobs at once, on another port'],
  ],
  async run(_args, flags) {
    const graceMs = graceOf(flags.grace);
    if (flags.detach) return (await import('../serve/detach.ts')).detach(flags);
    const { fatal, onFatal } = fatally();
    const { server, data, adminToken, stopAsked, ...started } = await startServer(flags, onFatal);
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
      await started.stop(graceMs);
    };
    return untilStopped(stop, fatal, stopAsked);
  },
});
