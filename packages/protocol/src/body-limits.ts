/** The largest requests that a server accepts. */
import type { Route } from './routes.ts';

export const BODY_LIMITS = {
  /** Bytes. */
  body: 8 * 1024 * 1024,
  /** Bytes of a call by a worker, whose reports can contain results. */
  workBody: 64 * 1024 * 1024,
  /** Characters of the text of a document. */
  text: 4_000_000,
} as const;

/** What is wrong with the size of a body; undefined if nothing is. */
export function bodyFault(text: string, { role }: Pick<Route, 'role'>): string | undefined {
  const most = role === 'worker' ? BODY_LIMITS.workBody : BODY_LIMITS.body;
  // No character has more than three bytes per unit.
  if (text.length <= most / 3) return undefined;
  const { length } = new TextEncoder().encode(text);
  return length <= most ? undefined : `the request has ${length} bytes, and a server accepts ${most}`;
}
