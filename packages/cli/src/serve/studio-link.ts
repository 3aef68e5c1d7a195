/**
 * The link that opens Studio in a browser and signs it in. Its code works once and is in the fragment, which browsers
 * do not send.
 */
import type { HomeFlags } from '../home-flags.ts';
import { connect } from '../remote/connect.ts';

export function studioLink(origin: string, code: string): string {
  return `${origin}/#code=${code}`;
}

/** Where people find the server: at the first TLS proxy that `--host` names, else on this machine. */
export function studioOrigin(url: string, hosts: readonly string[] = []): string {
  const proxy = hosts.find((host) => /^https:\/\//i.test(host));
  return proxy ?? url.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:|$)/, '//127.0.0.1');
}

/** What a person reads about it. A link signs in whoever reads it, so it is not written to files. */
export function aboutStudio(
  origin: string,
  { link, isTerminal }: { link: string | undefined; isTerminal: boolean },
): string {
  if (link !== undefined && isTerminal) return link;
  return `${origin}  (for a link that signs you in, run woof server link${link === undefined ? ' --token TOKEN' : ''})`;
}

/** `woof server link` */
export async function serverLink(flags: HomeFlags & { json?: true }): Promise<number> {
  const client = connect(flags);
  const { code, expires_at } = await client.call('login.code');
  const studio = studioLink(studioOrigin(client.url), code);
  console.log(flags.json ? JSON.stringify({ studio, expires_at }) : studio);
  return 0;
}
