/** Owns: the escapes in a quoted string, as in Python. An unknown escape keeps its backslash. */
import { Fault } from './template-error.ts';

const ESCAPE = /\\(?:([0-7]{1,3})|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([\s\S]))/g;
const SIMPLE: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '\n': '',
};

export function decodeString(body: string, source: string, at: number): string {
  if (!body.includes('\\')) return body;
  return body.replace(
    ESCAPE,
    (whole, octal?: string, x?: string, u?: string, wide?: string, other?: string) => {
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      const hex = x ?? u ?? wide;
      if (hex !== undefined) return fromCode(Number.parseInt(hex, 16), whole, source, at);
      if (other === 'x' || other === 'u' || other === 'U') throw badEscape(whole, source, at);
      return SIMPLE[other!] ?? whole;
    },
  );
}

function fromCode(code: number, whole: string, source: string, at: number): string {
  if (code > 0x10ffff) throw badEscape(whole, source, at);
  return String.fromCodePoint(code);
}

function badEscape(whole: string, source: string, at: number): Fault {
  const place = { source, start: at, end: at + 1 };
  return new Fault('expr/syntax', `the escape ${whole} is not complete`, 'write \\\\ for a backslash', place);
}
