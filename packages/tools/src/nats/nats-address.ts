/** From a task's fields to the servers and the user to connect as. No message here shows a password. */
import { isObject, type Json, type JsonObject } from '@woof/net';
import { decodeUri } from '../decode-uri.ts';
import { FieldFault, fault, textField } from '../fields.ts';

export interface NatsAddress {
  /** `host:port`, without secrets. */
  servers: string[];
  user?: string;
  password?: string;
  token?: string;
  creds?: string;
  seed?: string;
  ca?: string;
  /** One of the servers was given as `tls://`. */
  tls: boolean;
}

const DEFAULT_PORT = 4222;

export function toAddress(input: JsonObject): NatsAddress {
  const auth = credential(input);
  const given = input.servers ?? input.url ?? auth.servers ?? auth.url ?? `nats://127.0.0.1:${DEFAULT_PORT}`;
  const urls = serversOf(given);
  const [{ username = '', password: inUrl = '' } = {}] = urls;
  const secrets = {
    user: textField(auth, 'user') ?? textField(auth, 'username') ?? decodeUri(username),
    password: textField(auth, 'password') ?? textField(auth, 'pass') ?? decodeUri(inUrl),
    token: textField(auth, 'token') ?? textField(auth, 'value'),
    creds: textField(auth, 'creds'),
    seed: textField(auth, 'seed') ?? textField(auth, 'nkey'),
    ca: textField(auth, 'ca') ?? textField(auth, 'tls_ca'),
  };
  const present = Object.entries(secrets).filter(([, value]) => value !== undefined && value !== '');
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port || DEFAULT_PORT}`),
    tls: urls.some(({ protocol }) => protocol === 'tls:'),
    ...(Object.fromEntries(present) as Record<string, string>),
  };
}

/** For messages. */
export function placeOf({ servers }: NatsAddress): string {
  return servers.join(',');
}

function serversOf(given: Json): URL[] {
  const list = typeof given === 'string' ? given.split(',') : given;
  if (!Array.isArray(list) || list.length === 0 || !list.every((each) => typeof each === 'string')) {
    throw fault('servers', 'an address such as nats://host:4222, or a list of them', given);
  }
  return list.map((each) => toUrl(each.trim()));
}

function toUrl(text: string): URL {
  const full = /^[a-z]+:\/\//.test(text) ? text : `nats://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url && /^(nats|tls):$/.test(url.protocol) && url.hostname !== '') return url;
  throw new FieldFault('"servers" must be nats://host:port or tls://host:port, got something else');
}

function credential(input: JsonObject): JsonObject {
  const auth = input.auth ?? input.credential ?? null;
  if (auth === null) return {};
  if (isObject(auth)) return isObject(auth.data) ? auth.data : auth;
  throw new FieldFault(
    '"auth" must be a map such as {user, password} or {token}; ' +
      'to use a keychain entry, write a template: "{{ keychain.nats }}"',
  );
}
