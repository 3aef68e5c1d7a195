/**
 * The contract of a verb: a value that declares its arguments and options, and a function that does it.
 *
 * Parsing, help texts and did-you-mean derive from that value, so that a verb's file contains nothing but the verb.
 * `node:util` does the parsing: commander cost 6 ms of every start, a fifth of a bare Node.
 */
export interface OptionSpec {
  doc: string;
  /** The placeholder of its value; absent on a switch. */
  value?: string;
  /** May be given several times. */
  many?: true;
  /** One letter, after a single dash. */
  short?: string;
}

export type Options = Record<string, OptionSpec>;

export type Flags<O extends Options> = {
  [K in keyof O]?: O[K] extends { value: string } ? (O[K] extends { many: true } ? string[] : string) : true;
};

export interface Verb<O extends Options = Options> {
  /** Placeholders of the arguments: `FILE`, `[STEP]`, `FILE...`. */
  args: readonly string[];
  options: O;
  /** A command and what it does; at least two. */
  examples: readonly (readonly [command: string, does: string])[];
  /** A few sentences for --help, beyond the summary. */
  about?: string;
  /** What a user who leaves out the argument may want instead. */
  instead?: string;
  run(args: readonly string[], flags: Flags<O>): Promise<number>;
}

/** Preserves the types of the options while the verb is declared. */
export function defineVerb<const O extends Options>(verb: Verb<O>): Verb<O> {
  return verb;
}

/** Options that several verbs share. */
export const DATA = {
  doc: 'data directory (default: WOOF_DATA, then the nearest .woof/)',
  value: 'DIR',
} as const;
export const JSON_FLAG = { doc: 'print JSON' } as const;
