import type { Client } from '@woof/client';
import type { Reference } from '@woof/net';
import { storedText } from '@woof/stores';

/** The text of a value that a server stores. */
export async function storedTextAt(client: Client, reference: Reference): Promise<string> {
  const reply = await client.send('blobs.get', { params: { sha256: reference.key } });
  return storedText(Buffer.from(await reply.arrayBuffer()), reference);
}
