/** Values from the host. Everything that is about to be written is searched for the secret ones. */
import type { Env } from './api.ts';
import type { Guard } from './codec.ts';
import { WbError } from './wb-error.ts';

/** Shorter secrets would be found in innocent text; they are refused only as a whole value. */
const SHORTEST_SECRET = 6;

export interface EnvValues extends Env {
  /** `secrets` are names; without them every value is secret. */
  give(values: Record<string, unknown>, secrets?: readonly string[]): void;
  /** From now on `get` answers. */
  open(): void;
  guard: Guard;
}

export function makeEnv(): EnvValues {
  const values = new Map<string, string>();
  const secrets = new Map<string, string>();
  let isOpen = false;
  const early = () => new WbError('not-ready', 'wb.env has no values yet: await wb.ready first.');
  return {
    get(name) {
      if (!isOpen) throw early();
      return values.get(name);
    },
    names() {
      if (!isOpen) throw early();
      return [...values.keys()];
    },
    give(given, names) {
      for (const [name, value] of Object.entries(given)) values.set(name, String(value));
      for (const [name, value] of values)
        if ((names?.includes(name) ?? true) && value) secrets.set(name, value);
    },
    open() {
      isOpen = true;
    },
    guard(found, path) {
      for (const [name, secret] of secrets) if (holds(found, secret)) throw leak(path, name);
    },
  };
}

function holds(found: string | Uint8Array, secret: string): boolean {
  if (typeof found !== 'string') return latin1(found).includes(latin1(new TextEncoder().encode(secret)));
  return secret.length < SHORTEST_SECRET ? found === secret : found.includes(secret);
}

const latin1 = (bytes: Uint8Array) => new TextDecoder('latin1').decode(bytes);

function leak(path: string, name: string): WbError {
  return new WbError('secret', `${path} contains the secret ${name} of wb.env; secrets are never written.`);
}
