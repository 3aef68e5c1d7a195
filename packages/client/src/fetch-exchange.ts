import type { Reply, Request } from './exchange.ts';

export async function exchange({ method, url, headers, body, signal }: Request): Promise<Reply> {
  const asked: RequestInit = {
    method,
    headers,
    redirect: 'error',
    signal,
    ...(body === undefined ? {} : { body }),
  };
  const response = await fetch(url, asked);
  return { status: response.status, text: await response.text() };
}
