import { HOME_OPTIONS } from '../home-flags.ts';
import { SERVER_OPTIONS, type ServerFlags, startServer } from '../serve/start-server.ts';
import { tellListening } from '../serve/tell-listening.ts';
import { fatally, GRACE, graceOf, untilStopped } from '../serve/until-stopped.ts';
import { UserError } from '../user-error.ts';
import { defineVerb, type Flags } from '../verb.ts';

const OPTIONS = {
  ...SERVER_OPTIONS,
  grace: GRACE,
  json: {
    doc: 'once listening, print {"url", "token", "pid", "studio"} on one line; with ACTION, print its result',
  },
  ...HOME_OPTIONS,
} as const;

export const verb = defineVerb({
  args: ['[ACTION]'],
  options: OPTIONS,
  about:
    'The server stores its admin token in the data directory. On a terminal it also prints the token; elsewhere it prints the file that holds it. If the store has no admin token yet, the server creates one. woof server status and woof server stop act on the server of this folder. To see the status of another server, add --server URL. woof server stop waits until the server has ended. woof server link prints a link that opens Studio and signs in one browser with the role of your token, once, within 15 minutes. --server and --token apply only to an ACTION.',
  examples: [
    ['woof server', 'serve the data directory on this machine'],
    ['woof server --listen 0.0.0.0:9663 --host woof.example.org', 'accept workers from other machines'],
    ['woof server status', 'show address, process, version, store, uptime, runs and workers'],
    ['woof server link', 'print a link that opens Studio and signs you in'],
    ['woof server stop', 'let running jobs finish within the grace time, then stop'],
  ],
  async run([action], flags) {
    if (action === undefined) return serve(flags);
    refuseOthers(action, flags);
    if (action === 'link') return (await import('../serve/studio-link.ts')).serverLink(flags);
    const { serverStatus, stopServer } = await import('../serve/server-actions.ts');
    return action === 'status' ? serverStatus(flags) : stopServer(flags);
  },
});

type ServerVerbFlags = Flags<typeof OPTIONS>;

const ACTIONS = ['status', 'link', 'stop'];
const WITH_ACTION = ['json', 'server', 'token', 'data'];

function refuseOthers(action: string, flags: ServerVerbFlags): void {
  if (!ACTIONS.includes(action))
    throw new UserError(
      `woof server has no action "${action}"`,
      'woof server to start one, woof server status, woof server link, or woof server stop',
      2,
    );
  const other = Object.keys(flags).find((flag) => !WITH_ACTION.includes(flag));
  if (other) throw new UserError(`--${other} has no effect on woof server ${action}`, 'leave it out', 2);
}

async function serve(flags: ServerVerbFlags & ServerFlags): Promise<number> {
  const client = ['server', 'token'].find((flag) => Object.hasOwn(flags, flag));
  if (client) throw new UserError(`--${client} requires an action`, 'woof server status, or leave it out', 2);
  const graceMs = graceOf(flags.grace);
  const { fatal, onFatal } = fatally();
  const started = await startServer(flags, onFatal);
  return untilStopped({
    tell: () => tellListening(started, `woof server listens on ${started.server.url}`, flags),
    stop: () => started.stop(graceMs),
    fatal,
    over: started.stopAsked,
  });
}
