/** From a task's fields to the server and the user to connect as. No message here shows a password. */
import { isObject, type Json, type JsonObject, plainNumber } from '@woof/net';
import { decodeUri } from '../decode-uri.ts';
import { FieldFault, given, numberField, textField, wordField } from '../fields.ts';

export interface PostgresAddress {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
  sslmode: string;
  ca?: string;
}

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'];

/** The field names, none of them secret, in which a credential may state its server and user. */
const NAMES = {
  host: ['host', 'db_host', 'hostname', 'server'],
  port: ['port', 'db_port'],
  user: ['user', 'username', 'db_user'],
  database: ['database', 'dbname', 'db_name', 'db'],
};

export const POSTGRES_NAMES: readonly string[] = Object.values(NAMES).flat();

export function toAddress(input: JsonObject): PostgresAddress {
  const fields = { ...credential(input), ...own(input) };
  const parts = { ...urlParts(fields), ...fields };
  const host = first(parts, ...NAMES.host);
  if (!host) {
    throw new FieldFault(
      '"auth" is missing: write {host, port, user, password, database}, for example "{{ keychain.pg }}", or a "url"',
    );
  }
  const user = first(parts, ...NAMES.user) ?? 'postgres';
  const ca = first(parts, 'sslrootcert', 'ca');
  return {
    host,
    port: portOf(parts),
    user,
    password: first(parts, 'password', 'db_password', 'pass') ?? '',
    database: first(parts, ...NAMES.database) ?? user,
    sslmode: wordField(parts, 'sslmode', SSL_MODES) ?? (ca === undefined ? 'prefer' : 'verify-full'),
    ...(ca === undefined ? {} : { ca }),
  };
}

/** The server, for messages, without secrets. */
export function placeOf({ host, port, database }: PostgresAddress): string {
  return `${host}:${port}/${database}`;
}

const OWN = ['url', 'host', 'port', 'user', 'password', 'database', 'sslmode', 'sslrootcert'];

function own(input: JsonObject): JsonObject {
  return Object.fromEntries(
    OWN.filter((name) => given(input, name)).map((name) => [name, input[name] as Json]),
  );
}

function credential(input: JsonObject): JsonObject {
  const auth = input.auth ?? input.credential ?? null;
  if (auth === null) return {};
  if (typeof auth === 'string' && /^postgres(ql)?:/.test(auth)) return { url: auth };
  if (isObject(auth)) return isObject(auth.data) ? auth.data : auth;
  throw new FieldFault(
    '"auth" must be a map such as {host, user, password, database} or a postgres:// URL; ' +
      'to use a keychain entry, write a template: "{{ keychain.pg }}"',
  );
}

function urlParts(fields: JsonObject): JsonObject {
  const text = first(fields, 'url', 'dsn', 'uri', 'connection_string', 'value');
  if (text === undefined) return {};
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw new FieldFault('"url" must be postgres://user:password@host:port/database, got something else');
  }
  const parts: JsonObject = {};
  const put = (name: string, value: string | null) => {
    if (value) parts[name] = decodeUri(value);
  };
  put('host', url.hostname.replace(/^\[(.*)\]$/, '$1') || url.searchParams.get('host'));
  put('port', url.port);
  put('user', url.username);
  put('password', url.password);
  put('database', url.pathname.slice(1));
  put('sslmode', url.searchParams.get('sslmode'));
  return parts;
}

function portOf(parts: JsonObject): number {
  const name = NAMES.port.find((each) => given(parts, each)) ?? 'port';
  const port = numberField(parts, name, 1) ?? 5432;
  if (Number.isInteger(port) && port < 65536) return port;
  throw new FieldFault(`"port" must be a whole number below 65536, got ${port}`);
}

function first(fields: JsonObject, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = fields[name];
    const isNumber = plainNumber(value) !== undefined && name !== 'host';
    const text = isNumber ? String(value) : textField(fields, name);
    if (text?.includes('\0')) throw new FieldFault(`"${name}" must not contain a NUL byte`);
    if (text !== undefined) return text;
  }
  return undefined;
}
