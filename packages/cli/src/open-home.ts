import type { Home } from './home.ts';
import { type HomeFlags, serverOf } from './home-flags.ts';

/** Both are loaded on demand: most verbs read a directory, and start fast. */
export async function openHome(flags: HomeFlags): Promise<Home> {
  const server = serverOf(flags);
  if (server !== undefined) return (await import('./remote/remote-home.ts')).openRemoteHome(server, flags);
  return (await import('./local-home.ts')).openLocalHome(flags.data);
}
