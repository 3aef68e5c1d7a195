/**
 * One exchange with a server. `#exchange` is node-exchange.ts in Node and fetch-exchange.ts in browsers, as package.json says.
 * Neither follows redirects: a token goes nowhere but to the server that it is for.
 */
export type RequestBody = string | Uint8Array<ArrayBuffer> | AsyncIterable<Uint8Array>;

export interface Request {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: RequestBody | undefined;
  signal: AbortSignal | undefined;
}

/** It is read once, as a whole or as it comes. What breaks off rejects. */
export interface Reply {
  status: number;
  text(): Promise<string>;
  body: AsyncIterable<Uint8Array>;
}
