/** The numbers of a program: parameters of gates. */
import { QasmFault } from './qasm-tokens.ts';
import type { TokenReader } from './token-reader.ts';

export type Values = ReadonlyMap<string, number>;
export type Expression = (values: Values) => number;

const FUNCTIONS: Record<string, (x: number) => number> = {
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  exp: Math.exp,
  ln: Math.log,
  sqrt: Math.sqrt,
};
const DEEPEST = 100;

/** sum := product { (+|-) product }. */
export function readExpression(reader: TokenReader, depth = 0): Expression {
  if (depth > DEEPEST) throw new QasmFault('this expression nests too deeply', reader.line);
  let left = product(reader, depth);
  for (let sign = reader.takeOneOf('+', '-'); sign !== undefined; sign = reader.takeOneOf('+', '-')) {
    const [before, after, factor] = [left, product(reader, depth), sign === '+' ? 1 : -1];
    left = (values) => before(values) + factor * after(values);
  }
  return left;
}

function product(reader: TokenReader, depth: number): Expression {
  let left = power(reader, depth);
  for (let sign = reader.takeOneOf('*', '/'); sign !== undefined; sign = reader.takeOneOf('*', '/')) {
    const [before, after, isTimes] = [left, power(reader, depth), sign === '*'];
    left = (values) => (isTimes ? before(values) * after(values) : before(values) / after(values));
  }
  return left;
}

/** A sign binds weaker than a power, which binds to the right. */
function power(reader: TokenReader, depth: number): Expression {
  if (reader.takeOneOf('-') !== undefined) {
    const inner = power(reader, depth + 1);
    return (values) => -inner(values);
  }
  const base = atom(reader, depth);
  if (reader.takeOneOf('^') === undefined) return base;
  const exponent = power(reader, depth + 1);
  return (values) => base(values) ** exponent(values);
}

function atom(reader: TokenReader, depth: number): Expression {
  const { text, line } = reader.next();
  if (text === '(') return closed(reader, readExpression(reader, depth + 1));
  if (/^[.\d]/.test(text)) return () => Number(text);
  if (text === 'pi') return () => Math.PI;
  if (Object.hasOwn(FUNCTIONS, text)) {
    reader.expect('(');
    const inner = closed(reader, readExpression(reader, depth + 1));
    return (values) => FUNCTIONS[text]!(inner(values));
  }
  return (values) => {
    const value = values.get(text);
    if (value === undefined) throw new QasmFault(`no number is called "${text}"`, line);
    return value;
  };
}

function closed(reader: TokenReader, inner: Expression): Expression {
  reader.expect(')');
  return inner;
}
