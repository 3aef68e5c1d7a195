import type { Reference } from '@woof/net';
import type { Parts } from './parts.ts';

/** The text of a stored value, wherever it is stored. */
export async function storedText({ blobs, engine }: Parts, reference: Reference): Promise<string> {
  engine.checkLoadable(reference);
  await blobs.bring(reference);
  return blobs.getText(reference);
}
