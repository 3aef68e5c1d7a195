/** The text of a stored value. For an Arrow table: its rows as JSON, as if it were small. */
import { constants } from 'node:buffer';
import { ArrowFault, ArrowTooLarge, arrowRows, isArrow } from '@woof/arrow';
import { decodeBytes, encodeJson, type JsonObject, type Reference } from '@woof/net';
import { BlobError } from './blob-store.ts';

export function storedText(bytes: Buffer, reference: Reference, most = constants.MAX_STRING_LENGTH): string {
  if (bytes.length > most && !isArrow(reference))
    throw tooLarge(reference, `it is ${bytes.length} bytes, and the limit for text is ${most}`);
  if (isUntyped(reference)) return encodeJson(decodeBytes(bytes));
  if (!isArrow(reference)) return bytes.toString('utf8');
  try {
    return textOf(arrowRows(bytes), most);
  } catch (error) {
    if (error instanceof ArrowTooLarge) throw tooLarge(reference, error.message);
    // The text of a single row would be longer than any text may be.
    if (error instanceof RangeError) throw tooLarge(reference, error.message);
    if (error instanceof ArrowFault)
      throw new BlobError('unreadable', `the stored value ${reference.key} cannot be read: ${error.message}`);
    throw error;
  }
}

/** Nobody said what the bytes are: the text is the JSON of what they seem to be. */
export function isUntyped({ schema_hint }: Reference): boolean {
  return (schema_hint as JsonObject | null)?.type === 'bytes';
}

/** The column names occur in every row, so the text may be many times the size of the table. */
function textOf(rows: readonly JsonObject[], most: number): string {
  let size = 2;
  const texts = rows.map((row) => {
    const text = encodeJson(row);
    size += text.length + 1;
    if (size <= most) return text;
    throw new ArrowTooLarge(
      `as JSON it has more than ${most} characters; read it with a duckdb task, through "tables"`,
    );
  });
  return `[${texts.join(',')}]`;
}

function tooLarge({ key }: Reference, why: string): BlobError {
  return new BlobError('too_large', `the stored value ${key} is too large to load: ${why}`);
}
