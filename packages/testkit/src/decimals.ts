/** Owns: random decimals, and the values that Python's `decimal` says they are. */
import { execFileSync } from 'node:child_process';
import { decodeJson, type Json } from '@woof/net';
import fc from 'fast-check';
import DECIMALS from './decimals.py?raw';

/** As databases write them: up to 36 digits, including trailing zeros of a fraction. */
const decimalText = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9][0-9]{0,17}$/)),
    fc.oneof(fc.constant(''), fc.stringMatching(/^\.[0-9]{1,6}$/), fc.stringMatching(/^\.0{0,9}[0-9]{1,8}$/)),
  )
  .map((parts) => parts.join(''));

export function someDecimals(count: number): { texts: string[]; values: Json[] } {
  const texts = fc.sample(decimalText, count);
  const said = execFileSync('python3', ['-c', DECIMALS], { input: JSON.stringify(texts), encoding: 'utf8' });
  return { texts, values: decodeJson<Json[]>(said) };
}
