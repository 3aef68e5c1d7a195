/** Passes a step's args as environment variables, for commands that read them by name. */
import { encodeJson, type Json, type JsonObject } from '@woof/net';
import { FieldFault } from './fields.ts';

const VARIABLE = /^[A-Za-z_]\w*$/;
/** Variables that the shell, the loader and the C library read themselves. */
const RESERVED_PREFIX = /^(LD|DYLD|BASH|MALLOC|LC)_/;
const RESERVED = new Set(
  'BASHOPTS SHELLOPTS ENV IFS CDPATH PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND GLOBIGNORE EXECIGNORE POSIXLY_CORRECT TMOUT OPTIND OPTERR GLIBC_TUNABLES GCONV_PATH LOCPATH NLSPATH LANGUAGE'.split(
    ' ',
  ),
);
/** The kernel limits a variable to 128 KiB, and a program with too many of them does not start at all. */
const MAX_VALUE_BYTES = 100_000;

/**
 * Passes each argument whose name is valid for a variable and does not change how commands run. Text is passed
 * unchanged, null is left out, lists and maps become JSON. A value that no variable can hold is an error only if the
 * script names it, because arguments also reach steps that do not use them.
 */
export function argsEnv(args: JsonObject, script: string): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(args)) {
    if (value === null || !VARIABLE.test(name) || isReserved(name)) continue;
    const text = textOf(value);
    const why = unfit(text);
    if (why === undefined) env[name] = text;
    else if (new RegExp(`\\b${name}\\b`).test(script))
      throw new FieldFault(`the argument "${name}" cannot be an environment variable: it ${why}`);
  }
  return env;
}

function isReserved(name: string): boolean {
  return RESERVED.has(name) || RESERVED_PREFIX.test(name);
}

function textOf(value: Json): string {
  return typeof value === 'object' ? encodeJson(value) : String(value);
}

function unfit(text: string): string | undefined {
  if (text.includes('\0')) return 'contains a NUL byte';
  const size = Buffer.byteLength(text);
  return size > MAX_VALUE_BYTES
    ? `is ${size} bytes, and the limit is ${MAX_VALUE_BYTES}; write it to a file instead`
    : undefined;
}
