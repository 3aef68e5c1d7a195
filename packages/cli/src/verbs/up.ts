import { locateData } from '../data-directory.ts';
import { limitsOf } from '../limit-flags.ts';
import { SERVER_OPTIONS, startServer } from '../serve/start-server.ts';
import { startWorker, WORKER_OPTIONS } from '../serve/start-worker.ts';
import { tellListening } from '../serve/tell-listening.ts';
import { fatally, GRACE, graceOf, untilStopped } from '../serve/until-stopped.ts';
import { DATA, defineVerb } from '../verb.ts';

export const verb = defineVerb({
  args: [],
  options: {
    ...SERVER_OPTIONS,
    ...WORKER_OPTIONS,
    grace: GRACE,
    detach: { doc: 'start in the background, wait until the server is ready, then return' },
    json: { doc: 'once listening, print {"url", "token", "pid", "studio"} on one line' },
    data: DATA,
  },
  about:
    'This is all that one machine needs. The server stores its admin token in the data directory. On a terminal it also prints the token, except with --detach, and a link that opens Studio and signs you in once; woof server link prints another. With --detach it runs in the background until woof server stop. If a server already runs in this folder, --detach starts nothing and exits with 0.',
  examples: [
    ['woof up', 'open the link that it prints; in the same folder: woof submit FILE'],
    ['woof up --detach', 'run in the background; stop it with: woof server stop'],
    ['woof up --slots 8 --listen 127.0.0.1:8000', 'run up to eight jobs at a time, on another port'],
  ],
  async run(_args, flags) {
    const graceMs = graceOf(flags.grace);
    if (flags.detach) return (await import('../serve/detach.ts')).detach(flags);
    const { fatal, onFatal } = fatally();
    const started = await startServer(flags, onFatal);
    const { server, data, stopAsked } = started;
    const here = locateData(data.path);
    const { value_bytes: valueBytes } = limitsOf(flags.limit);
    const api = server.work.near;
    const worker = startWorker(flags, {
      api,
      took: (executionId, ms) => api.took(executionId, ms),
      blobs: data.blobs,
      data: here,
      onFatal,
      valueBytes,
    });
    const tell = () =>
      tellListening(started, `woof listens on ${server.url}, with worker ${worker.id}`, flags);
    const stop = async () => {
      await worker.stop(graceMs);
      await started.stop(graceMs);
    };
    return untilStopped({ tell, stop, fatal, over: stopAsked });
  },
});
