import { aboutToken, SERVER_OPTIONS, startServer } from '../serve/start-server.ts';
import { fatally, GRACE, graceOf, untilStopped } from '../serve/until-stopped.ts';
import { DATA, defineVerb } from '../verb.ts';

export const verb = defineVerb({
  args: [],
  options: {
    ...SERVER_OPTIONS,
    grace: GRACE,
    json: { doc: 'once listening, print {"url", "token", "pid"} on one line' },
    data: DATA,
  },
  about:
    'The server prints its admin token at startup and stores it in the data directory. If the store has no admin token yet, the server creates one.',
  examples: [
    ['woof server', 'serve the data directory on this machine'],
    ['woof server --listen 0.0.0.0:9663 --host woof.example.org', 'accept workers from other machines'],
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
