/** The text of a stored value: of a table in Arrow, its rows as JSON, as where it were small. */
import { ArrowFault, arrowRows, isArrow } from '@woof/arrow';
import type { Reference } from '@woof/net';
import { BlobError } from './blob-store.ts';

export function storedText(bytes: Buffer, reference: Reference): string {
  if (!isArrow(reference)) return bytes.toString('utf8');
  try {
    return JSON.stringify(arrowRows(bytes));
  } catch (error) {
    if (error instanceof ArrowFault)
      throw new BlobError('too_large', `the stored value ${reference.key} cannot be read: ${error.message}`);
    throw error;
  }
}
