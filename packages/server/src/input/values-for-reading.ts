/**
 * Stored values for a call that only reads. It stores nothing, and if a value is gone, only the part that reads it fails,
 * not the call.
 */
import type { Reference } from '@woof/net';
import { BlobError, type BlobStore, Values } from '@woof/stores';

/** The largest stored value that is read in order to render a template again. */
const READ_BYTES = 16 * 1024 * 1024;

export function valuesForReading(blobs: BlobStore): Values {
  const lost = new Map<string, BlobError>();
  const checked = (reference: Reference): Reference => {
    const fault = lost.get(reference.key);
    if (fault) throw fault;
    return reference;
  };
  const readable: ConstructorParameters<typeof Values>[0] = {
    getText: (reference) => blobs.getText(checked(reference)),
    bring: (reference) =>
      blobs.bring(reference).catch((error: unknown) => {
        if (!(error instanceof BlobError)) throw error;
        lost.set(reference.key, error);
      }),
    putBytes: () => Promise.reject(new Error('a call that only reads stores nothing')),
  };
  if (blobs.getBytes)
    readable.getBytes = (reference, from, size) => blobs.getBytes!(checked(reference), from, size);
  return new Values(readable, { valueBytes: READ_BYTES });
}

/** Fetches values that are stored elsewhere and repeats the work that needed them. */
export async function bringing<T>(values: Values, work: () => T | Promise<T>): Promise<T> {
  for (;;) {
    try {
      const made = await work();
      if (!values.hasMissing) return made;
    } catch (error) {
      if (!values.hasMissing) throw error;
    }
    await values.bring();
  }
}
