/** For browsers. */
import type { Reply, Request } from './exchange.ts';

export async function exchange({ method, url, headers, body, signal }: Request): Promise<Reply> {
  const response = await fetch(url, {
    method,
    headers,
    redirect: 'error',
    ...(signal ? { signal } : {}),
    ...(body === undefined ? {} : { body: body as string }),
  });
  return { status: response.status, text: () => response.text(), body: chunksOf(response) };
}

async function* chunksOf({ body }: Response): AsyncIterable<Uint8Array> {
  const reader = body!.getReader();
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value;
  } finally {
    await reader.cancel().catch(() => {});
  }
}
