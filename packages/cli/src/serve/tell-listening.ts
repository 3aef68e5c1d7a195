/** What a person or a program is told once a server in this process listens. */
import { aboutToken, tokenFile } from './about-token.ts';
import type { Started } from './start-server.ts';
import { aboutStudio, studioLink, studioOrigin } from './studio-link.ts';

export async function tellListening(
  { server, adminToken, data }: Started,
  headline: string,
  { json, host }: { json?: true; host?: string[] },
): Promise<void> {
  const { url } = server;
  const origin = studioOrigin(url, host);
  const code = adminToken === undefined ? undefined : await server.createLoginCode(adminToken);
  const link = code === undefined ? undefined : studioLink(origin, code);
  if (json) {
    console.log(JSON.stringify({ url, token: adminToken ?? null, pid: process.pid, studio: link ?? null }));
    return;
  }
  const isTerminal = process.stderr.isTTY;
  const studio = aboutStudio(origin, { link, isTerminal });
  const token = aboutToken(adminToken, { file: tokenFile(adminToken, data), isTerminal });
  console.error(`${headline}\n  studio  ${studio}\n  docs    ${origin}/docs\n  token   ${token}`);
}
