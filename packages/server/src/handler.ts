/** How a resource answers a call: what it receives and what it may return. */
import type { IncomingMessage } from 'node:http';
import type { RouteName } from '@woof/protocol';
import type { AnswerOf, CALLS, ReadBody, ReadHeaders, ReadQuery } from '@woof/protocol/http';
import type { FastifyReply } from 'fastify';
import type { Who } from './access/tokens.ts';

type Params<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? { [key in Name]: string } & Params<`/${Rest}`>
  : P extends `${string}:${infer Name}`
    ? { [key in Name]: string }
    : unknown;

export interface Call<N extends RouteName> {
  params: Params<(typeof CALLS)[N]['path']>;
  query: ReadQuery<N>;
  headers: ReadHeaders<N>;
  body: ReadBody<N>;
  /** Nobody, if a call needs no token. */
  who: Who;
  /** From now on, the audit and the log name this caller. */
  signIn: (who: Who) => void;
  /** Aborts when the caller disconnects. */
  signal: AbortSignal;
  raw: IncomingMessage;
  reply: FastifyReply;
}

/** Undefined: an empty response, or the handler has responded itself through `reply`. */
export type Handler<N extends RouteName> = (
  call: Call<N>,
) => Promise<AnswerOf<N> | undefined> | AnswerOf<N> | undefined;

type Named<Prefix extends string> = Extract<RouteName, `${Prefix}.${string}`>;

/** The handlers of all calls whose names begin with the prefix. */
export type Handlers<Prefix extends string> = { [N in Named<Prefix>]: Handler<N> };
