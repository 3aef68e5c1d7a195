import { join } from 'node:path';
import { HttpBlobs, HttpWork } from '@woof/client';
import { CachedBlobs } from '@woof/stores';
import { locateData } from '../data-directory.ts';
import { HOME_OPTIONS } from '../home-flags.ts';
import { WORKER_LIMIT, workerLimitsOf } from '../limit-flags.ts';
import { connect } from '../remote/connect.ts';
import { startWorker, WORKER_OPTIONS } from '../serve/start-worker.ts';
import { fatally, GRACE, graceOf, untilStopped } from '../serve/until-stopped.ts';
import { defineVerb } from '../verb.ts';

export const verb = defineVerb({
  args: [],
  options: {
    ...WORKER_OPTIONS,
    limit: WORKER_LIMIT,
    grace: GRACE,
    json: { doc: 'once connected, print {"worker", "url", "pid"} on one line' },
    ...HOME_OPTIONS,
  },
  about:
    'The worker only makes outgoing connections. On shutdown it takes no new jobs and returns the jobs that do not finish in time. A drained worker (woof workers drain) finishes its jobs and exits.',
  examples: [
    ['woof worker --server http://127.0.0.1:9663 --token woof_…', 'perform jobs for that server'],
    ['woof worker --slots 4 --labels gpu=yes', 'run up to four jobs at a time; steps can require the label'],
  ],
  async run(_args, flags) {
    const graceMs = graceOf(flags.grace);
    const client = connect(flags);
    const data = locateData(flags.data);
    const { fatal, onFatal } = fatally();
    await client.call('me.get');
    const blobs = new CachedBlobs(join(data.path, 'blob-cache'), new HttpBlobs(client));
    const { value_bytes: valueBytes } = workerLimitsOf(flags.limit);
    let onDrained: () => void = () => {};
    const drained = new Promise<void>((resolve) => {
      onDrained = resolve;
    });
    const home = { api: new HttpWork(client), blobs, data, onFatal, onDrained, valueBytes };
    const worker = startWorker(flags, home);
    const tell = () => {
      if (flags.json) console.log(JSON.stringify({ worker: worker.id, url: client.url, pid: process.pid }));
      else console.error(`woof worker ${worker.id} is connected to ${client.url}`);
    };
    return untilStopped({ tell, stop: () => worker.stop(graceMs), fatal, over: drained });
  },
});
