/** The args of a step as environment variables, for commands that read them by name. */
import { encodeJson, type Json, type JsonObject } from '@woof/net';
import { FieldFault } from './fields.ts';

const VARIABLE = /^[A-Za-z_]\w*$/;
/** What the shell, the loader and the C library read for themselves. */
const RESERVED_PREFIX = /^(LD|DYLD|BASH|MALLOC|LC)_/;
const RESERVED = new Set(
  'BASHOPTS SHELLOPTS ENV IFS CDPATH PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND GLOBIGNORE EXECIGNORE POSIXLY_CORRECT TMOUT OPTIND OPTERR GLIBC_TUNABLES GCONV_PATH LOCPATH NLSPATH LANGUAGE'.split(
    ' ',
  ),
);
/** A variable of 128 KiB is the kernel's limit; a program with too many of them does not start at all. */
const MAX_VALUE_BYTES = 100_000;

/**
 * Each argument whose name can be that of a variable, and does not change how commands run. Text is passed as it is, null not at all, lists and maps as JSON. What no
 * variable can hold is an error only where the script names it: arguments travel on to steps that do not want them.
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
