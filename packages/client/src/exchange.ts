/**
 * One exchange with a server. package.json maps `#exchange` to node-exchange.ts in Node and to fetch-exchange.ts in
 * browsers. Neither follows redirects: a token is sent only to the server that it is for.
 */
export type RequestBody = string | Uint8Array<ArrayBuffer> | AsyncIterable<Uint8Array>;

export interface Request {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: RequestBody | undefined;
  signal: AbortSignal | undefined;
}

/** It can be read once, as a whole or as a stream. Reading rejects if the connection breaks. */
export interface Reply {
  status: number;
  text(): Promise<string>;
  body: AsyncIterable<Uint8Array>;
}
