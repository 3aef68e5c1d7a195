/**
 * One call: a text for another. `#exchange` is node-exchange.ts in Node and fetch-exchange.ts in browsers, as package.json
 * says. Neither follows redirects: a token goes nowhere but to the server that it is for.
 */
export interface Request {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | undefined;
  signal: AbortSignal;
}

export interface Reply {
  status: number;
  text: string;
}
