/** Whether a call comes from the shell page of this host, as far as the browser's headers tell. */
import type { IncomingMessage } from 'node:http';

/**
 * `path` is what follows the address of the page: a person may navigate to the page itself; calls must come from it.
 */
export function isOwnPage({ headers, method }: IncomingMessage, path: string, shellOrigin: string): boolean {
  const site = headers['sec-fetch-site'];
  if (path === '') return method === 'GET' && (headers['sec-fetch-dest'] ?? 'document') === 'document';
  if (site !== undefined && site !== 'same-origin') return false;
  return method === 'GET' || headers.origin === shellOrigin;
}
