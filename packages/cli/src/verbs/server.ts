import { aboutToken, SERVER_OPTIONS, startServer } from '../serve/start-server.ts';
import { fatally, GRACE, graceOf, untilStopped } from '../serve/until-stopped.ts';
import { DATA, defineVerb } from '../verb.ts';

export const verb = defineVerb({
  args: [],
  options: {
    ...SERVER_OPTIONS,
    grace: GRACE,
    json: { doc: 'print address and token as one line of JSON when it listens' },
    data: DATA,
  },
  about:
    'It keeps runs and gives their jobs to workers. The admin token is kept in the data directory, and printed when it starts; one is made where the store has none.',
  examples: [
    ['woof server', 'on this machine, with the data directory'],
    ['woof server --listen 0.0.0.0:9663 --host woof.example.org', 'for workers elsewhere'],
  ],
  async run(_args, flags) {
    const graceMs = graceOf(flags.grace);
    const { fatal, onFatal } = fatally();
    const { server, data, adminToken } = await startServer(flags, onFatal);
    if (flags.json)
      console.log(JSON.stringify({ url: server.url, token: adminToken ?? null, pid: process.pid }));
    else {
      console.error(`woof server listens on ${server.url}\n  docs    ${server.url}/docs`);
      console.error(`  token   ${aboutToken(adminToken)}`);
    }
    const stop = async () => {
      await server.stop(graceMs);
      await data.close();
    };
    return untilStopped(stop, fatal);
  },
});
