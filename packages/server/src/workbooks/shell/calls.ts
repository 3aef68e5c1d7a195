/** Calls to the host, at addresses below this page. */
import type {
  Facts,
  Failure,
  GrantRequest,
  Loads,
  PersistAnswer,
  PersistRequest,
  Running,
} from '../shell-api.ts';

const TOKEN = 'woof-token';

/** The error that the host responded with. */
export class CallFailed extends Error {
  constructor(
    readonly code: Failure['error']['code'],
    message: string,
  ) {
    super(message);
  }
}

async function call<Answer>(name: string, body?: unknown): Promise<Answer> {
  const token = sessionStorage.getItem(TOKEN);
  const headers = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  };
  const method = body === undefined ? 'GET' : 'POST';
  const response = await fetch(`api/${name}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => undefined);
  if (!response) throw new CallFailed('failed', 'The server has stopped. Start woof open again.');
  const answer = (await response.json()) as Answer | Failure;
  if (response.ok) return answer as Answer;
  const { code, message } = (answer as Failure).error;
  throw new CallFailed(code, message);
}

export const host = {
  facts: () => call<Facts>('facts'),
  grant: (request: GrantRequest) => call<object>('grant', request),
  run: () => call<Running>('run', {}),
  loads: (ticket: string) => call<Loads>('loads', { ticket }),
  revoke: () => call<object>('revoke', {}),
  persist: (request: PersistRequest) => call<PersistAnswer>('persist', request),
  /** For hosts that require a token: this tab keeps it. */
  signIn: (token: string) => sessionStorage.setItem(TOKEN, token),
};
