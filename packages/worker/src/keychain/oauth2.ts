/** Access tokens from client credentials (RFC 6749, section 4.4). */
import type { KeychainEntry } from '@woof/net';
import { askService, refusedBy } from './ask-service.ts';
import { KeychainFault } from './keychain-fault.ts';
import type { Resolved } from './resolve-entry.ts';
import type { SecretSources } from './sources.ts';

/** A token is not used during this last part of its lifetime: a call takes time, and clocks differ. */
const MARGIN_MS = 30_000;

export async function fetchToken(
  entry: KeychainEntry,
  found: Record<string, string> | undefined,
  { now, howToSet }: SecretSources,
): Promise<Resolved> {
  const id = textOf(entry.client_id) ?? found?.client_id;
  const secret = textOf(entry.client_secret) ?? found?.client_secret;
  if (id === undefined || secret === undefined) {
    const lacks = id === undefined ? 'client_id' : 'client_secret';
    const fix = howToSet(textOf(entry.secret) ?? entry.name, ['client_id', 'client_secret']);
    throw new KeychainFault(entry, `it has no ${lacks}`, fix);
  }
  const asked = now();
  const url = String(entry.token_url);
  const answer = await askService(entry, url, requestOf(entry, id, secret));
  const token = textOf(answer.body.access_token);
  if (answer.status !== 200) throw refusedBy(entry, url, answer);
  if (token === undefined)
    throw new KeychainFault(entry, 'the response has no access_token', 'check token_url');
  const seconds = Number(answer.body.expires_in);
  return {
    fields: { type: 'bearer', token, access_token: token },
    renewable: true,
    ...(seconds > 0 ? { until: asked + Math.max(seconds * 500, seconds * 1000 - MARGIN_MS) } : {}),
  };
}

function requestOf(entry: KeychainEntry, id: string, secret: string): RequestInit {
  const body = new URLSearchParams({ grant_type: 'client_credentials' });
  for (const key of ['scope', 'audience'] as const) {
    const value = textOf(entry[key]);
    if (value !== undefined) body.set(key, value);
  }
  const headers: Record<string, string> = {
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/json',
  };
  if (entry.style === 'body') {
    body.set('client_id', id);
    body.set('client_secret', secret);
  } else {
    const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  }
  return { method: 'POST', headers, body: body.toString() };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
