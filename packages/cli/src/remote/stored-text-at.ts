import type { Client } from '@woof/client';
import type { Reference } from '@woof/net';
import { storedText } from '@woof/stores';

/** The text of a value that a server stores. */
export async function storedTextAt(client: Client, reference: Reference): Promise<string> {
  const { body } = await client.send('blobs.get', { params: { sha256: reference.key } });
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return storedText(Buffer.concat(chunks), reference);
}
