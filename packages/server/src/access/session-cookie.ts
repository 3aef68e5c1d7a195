/**
 * The cookie of logged-in browsers: session ids, newest first.
 *
 * It is a list because cookies ignore ports: all servers on one machine share it, and each uses the id that it knows.
 */
const NAME = '__Host-woof';
const ID = /^[\w-]{43}$/;
const MOST_IDS = 5;
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Strict';

export const LONGEST_SESSION_S = 30 * 86_400;

/** Reads the `Cookie` header. Ignores everything that is not an id. */
export function sessionIds(header = ''): string[] {
  const pairs = header.split(';').map((pair) => pair.trim());
  const value = pairs.find((pair) => pair.startsWith(`${NAME}=`))?.slice(NAME.length + 1) ?? '';
  const ids = value.split('.').slice(0, MOST_IDS);
  return ids.filter((id) => ID.test(id));
}

/** Makes the `Set-Cookie` header. Without ids, the browser deletes the cookie. */
export function sessionCookie(ids: readonly string[]): string {
  const seconds = ids.length === 0 ? 0 : LONGEST_SESSION_S;
  return `${NAME}=${ids.slice(0, MOST_IDS).join('.')}; Max-Age=${seconds}; ${ATTRIBUTES}`;
}
