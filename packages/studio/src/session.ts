/** Who is signed in, what they may do, and every call to the server. */
import { signal } from '@preact/signals';
import { type CallInput, Client, type Reply } from '@woof/client/http';
import { Problem, RANKS, ROUTES, type Role, type Route, type RouteName } from '@woof/protocol';
import type { AnswerOf } from '@woof/protocol/http';

/** Undefined: not known yet. Null: nobody is signed in. */
export const me = signal<AnswerOf<'me.get'> | null | undefined>(undefined);

/** The browser sends the cookie of the session. */
const client = new Client({ url: location.origin, token: undefined });

/** The server answers, but cannot read or write runs. */
export const isStoreLost = signal(false);

export async function ask<N extends RouteName>(name: N, input: CallInput<N> = {}): Promise<AnswerOf<N>> {
  try {
    const answer = await client.call(name, input);
    isStoreLost.value = false;
    return answer;
  } catch (error) {
    if (isSignedOut(error)) endSession();
    // Other refusals may need no store, so they do not say that it is back.
    if (error instanceof Problem && error.code === 'store/unavailable') isStoreLost.value = true;
    throw error;
  }
}

/** The answer as it comes: not every call answers with JSON. */
export async function askRaw(name: RouteName, input: CallInput<RouteName>): Promise<Reply> {
  try {
    return await client.send(name, input);
  } catch (error) {
    if (isSignedOut(error)) endSession();
    throw error;
  }
}

export const isSignedOut = (error: unknown): boolean =>
  error instanceof Problem && (error.code === 'auth/missing' || error.code === 'auth/wrong');

/** The server does not answer, or has lost its store: this may pass soon. */
export const isPassing = (error: unknown): boolean =>
  !(error instanceof Problem) || error.code === 'store/unavailable';

export const isMissing = (error: unknown): boolean => error instanceof Problem && error.code === 'not-found';

/**
 * Whether the server would accept this call from the user who is signed in. Calls that it would refuse are not offered.
 */
export function may(name: RouteName): boolean {
  const { role }: Route = ROUTES[name];
  if (role === 'anyone') return true;
  const own = rankOf(me.value?.role);
  return own >= 0 && own >= rankOf(role);
}

const rankOf = (role: Role | undefined): number => RANKS.indexOf(role as (typeof RANKS)[number]);

/** The code of the link, until the server answers. */
let code: string | undefined;

/** Throws if the server does not answer. What the link says is kept until it does. */
export async function lookWhoIsHere(): Promise<void> {
  code ??= takeCode();
  if (code !== undefined && (await signIn({ code }).catch(noteRefusal))) return;
  me.value = await ask('me.get').catch((error: unknown) => {
    if (isSignedOut(error)) return null;
    throw error;
  });
  if (me.value) loginProblem.value = '';
}

/** The one-time code of the link that the server printed. It leaves the address before anything else happens. */
function takeCode(): string | undefined {
  const [, found] = /^#code=([\w-]+)$/.exec(location.hash) ?? [];
  if (found !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return found;
}

/** Why somebody is asked to sign in: a link that did not do it, or a session that ended. */
export const loginProblem = signal('');

/** The server no longer knows who is here. */
export function endSession(): void {
  if (me.peek()) loginProblem.value = 'Your session has ended. Sign in again; what you typed is kept.';
  me.value = null;
}

function noteRefusal(error: unknown): false {
  if (isPassing(error)) throw error;
  code = undefined;
  loginProblem.value = isSignedOut(error)
    ? 'This link was already used or has expired. Run woof server link for a new one.'
    : String(error instanceof Error ? error.message : error);
  return false;
}

export async function signIn(proof: { token: string } | { code: string }): Promise<true> {
  me.value = await ask('login.start', { body: proof });
  code = undefined;
  loginProblem.value = '';
  return true;
}

const leaving = new Set<() => void>();

/** Called only if the user signs out, not if the session ends. */
export const whenSignedOut = (act: () => void): void => void leaving.add(act);

/** Rejects if the server does not answer: the session would continue. */
export async function signOut(): Promise<void> {
  await ask('login.end');
  for (const act of leaving) act();
  loginProblem.value = '';
  me.value = null;
}
