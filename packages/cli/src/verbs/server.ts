import { HOME_OPTIONS } from '../home-flags.ts';
import { aboutToken, SERVER_OPTIONS, type ServerFlags, startServer } from '../serve/start-server.ts';
import { fatally, GRACE, graceOf, untilStopped } from '../serve/until-stopped.ts';
import { UserError } from '../user-error.ts';
import { defineVerb, type Flags } from '../verb.ts';

const OPTIONS = {
  ...SERVER_OPTIONS,
  grace: GRACE,
  json: { doc: 'print address and token as one line of JSON when it listens; with ACTION, what it tells' },
  ...HOME_OPTIONS,
} as const;

export const verb = defineVerb({
  args: ['[ACTION]'],
  options: OPTIONS,
  about:
    'It keeps runs and gives their jobs to workers. The admin token is kept in the data directory, and printed when it starts; one is made where the store has none. ACTION is status or stop, and is about the server that runs in this folder: stop waits until it has ended. --server and --token go with an ACTION.',
  examples: [
    ['woof server', 'on this machine, with the data directory'],
    ['woof server --listen 0.0.0.0:9663 --host woof.example.org', 'for workers elsewhere'],
    ['woof server status', 'address, process, version, store, uptime, runs, workers'],
    ['woof server stop', 'let jobs end within the grace time, then end it'],
  ],
  async run([action], flags) {
    if (action === undefined) return serve(flags);
    refuseOthers(action, flags);
    const { serverStatus, stopServer } = await import('../serve/server-actions.ts');
    return action === 'status' ? serverStatus(flags) : stopServer(flags);
  },
});

type ServerVerbFlags = Flags<typeof OPTIONS>;

const WITH_ACTION = ['json', 'server', 'token', 'data'];

function refuseOthers(action: string, flags: ServerVerbFlags): void {
  if (action !== 'status' && action !== 'stop')
    throw new UserError(
      `woof server has no action "${action}"`,
      'woof server status, or woof server stop',
      2,
    );
  const other = Object.keys(flags).find((flag) => !WITH_ACTION.includes(flag));
  if (other) throw new UserError(`--${other} says nothing to woof server ${action}`, 'leave it out', 2);
}

async function serve(flags: ServerVerbFlags & ServerFlags): Promise<number> {
  const client = ['server', 'token'].find((flag) => Object.hasOwn(flags, flag));
  if (client)
    throw new UserError(`--${client} goes with an action`, 'woof server status, or leave it out', 2);
  const graceMs = graceOf(flags.grace);
  const { fatal, onFatal } = fatally();
  const { server, data, adminToken, stopAsked } = await startServer(flags, onFatal);
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
  return untilStopped(stop, fatal, stopAsked);
}
