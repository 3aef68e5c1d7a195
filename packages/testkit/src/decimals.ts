/** Owns: random decimals, and the values that Python's `decimal` says they are. */
import { execFileSync } from 'node:child_process';
import { decodeJson, type Json } from '@woof/net';
import fc from 'fast-check';

/** As databases write them: up to 36 digits, including trailing zeros of a fraction. */
const decimalText = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9][0-9]{0,17}$/)),
    fc.oneof(fc.constant(''), fc.stringMatching(/^\.[0-9]{1,6}$/), fc.stringMatching(/^\.0{0,9}[0-9]{1,8}$/)),
  )
  .map((parts) => parts.join(''));

/** An int if there is no fraction; otherwise a float if the float prints the same number, else text with all digits. */
const SCRIPT = `
import decimal, json, sys
decimal.getcontext().prec = 100
def value(text):
    number = decimal.Decimal(text) + 0
    if number.as_tuple().exponent >= 0: return int(number)
    same = decimal.Decimal(repr(float(number))) == number
    return float(number) if same else format(number, 'f')
print(json.dumps([value(text) for text in json.load(sys.stdin)]))
`;

export function someDecimals(count: number): { texts: string[]; values: Json[] } {
  const texts = fc.sample(decimalText, count);
  const said = execFileSync('python3', ['-c', SCRIPT], { input: JSON.stringify(texts), encoding: 'utf8' });
  return { texts, values: decodeJson<Json[]>(said) };
}
