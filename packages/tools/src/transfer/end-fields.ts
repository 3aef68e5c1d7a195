/** The fields of each end of a transfer, by its kind. Any other field would be ignored silently. */
import type { JsonObject } from '@woof/net';
import { FieldFault, fault, given, objectField, wordField } from '../fields.ts';
import { httpSchema } from '../http/http-schema.ts';

const POSTGRES = 'auth credential url host port user password database sslmode sslrootcert table'.split(' ');
const HTTP = Object.keys(httpSchema.fields);
const S3 = 'bucket key prefix format endpoint region auth timeout max_bytes verify_ssl'.split(' ');
const FILE = ['path', 'uri', 'format'];

const FIELDS: Record<'source' | 'target', Record<string, string[]>> = {
  source: {
    http: [...HTTP, 'rows_path', 'next_path'],
    postgres: [...POSTGRES, 'query', 'command', 'params'],
    duckdb: ['database', 'table', 'query', 'command'],
    file: FILE,
    s3: S3,
  },
  target: {
    http: [...HTTP, 'mapping'],
    postgres: [...POSTGRES, 'mapping'],
    duckdb: ['database', 'table', 'mapping'],
    file: [...FILE, 'mapping'],
    s3: [...S3, 'mapping'],
  },
};

export function endOf(input: JsonObject, name: 'source' | 'target'): JsonObject {
  const end = objectField(input, name);
  const kinds = Object.keys(FIELDS[name]);
  if (!end) throw new FieldFault(`"${name}" is missing: write {kind: …}, with one of ${kinds.join(', ')}`);
  const kind = wordField(end, 'kind', kinds);
  if (!kind) throw fault(`${name}.kind`, `one of ${kinds.join(', ')}`, end.kind);
  const known = FIELDS[name][kind]!;
  const odd = Object.keys(end).find(
    (field) => field !== 'kind' && !known.includes(field) && given(end, field),
  );
  if (odd === undefined) return { ...end, kind };
  throw new FieldFault(`"${name}.${odd}" is not a field of ${kind} here; its fields are ${known.join(', ')}`);
}
