/** The numeric expressions of a program: parameters of gates. */
import { QasmFault } from './qasm-tokens.ts';
import type { TokenReader } from './token-reader.ts';

export type Values = ReadonlyMap<string, number>;
type Evaluate = (values: Values) => number;

export interface Expression {
  of: Evaluate;
  /** In tokens. */
  size: number;
}

const FUNCTIONS: Record<string, (x: number) => number> = {
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  exp: Math.exp,
  ln: Math.log,
  sqrt: Math.sqrt,
};
const DEEPEST = 100;

/** Includes its size in tokens, so that a program that repeats a long expression can be stopped. */
export function readExpression(reader: TokenReader): Expression {
  const from = reader.position;
  const of = sum(reader, 0);
  return { of, size: reader.position - from };
}

/** sum := product { (+|-) product }. */
function sum(reader: TokenReader, depth: number): Evaluate {
  if (depth > DEEPEST) throw new QasmFault('this expression nests too deeply', reader.line);
  return chain(reader, ['+', '-'], () => product(reader, depth));
}

function product(reader: TokenReader, depth: number): Evaluate {
  return chain(reader, ['*', '/'], () => power(reader, depth));
}

const OPERATIONS: Record<string, (a: number, b: number) => number> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
};

/** Operands are a list and not a tree, so that the stack does not grow with their number. */
function chain(reader: TokenReader, signs: string[], operand: () => Evaluate): Evaluate {
  const first = operand();
  const rest: { apply: (a: number, b: number) => number; right: Evaluate }[] = [];
  for (let sign = reader.takeOneOf(...signs); sign !== undefined; sign = reader.takeOneOf(...signs))
    rest.push({ apply: OPERATIONS[sign]!, right: operand() });
  if (rest.length === 0) return first;
  return (values) => rest.reduce((left, { apply, right }) => apply(left, right(values)), first(values));
}

/** A sign binds less tightly than a power, which is right-associative. */
function power(reader: TokenReader, depth: number): Evaluate {
  if (reader.takeOneOf('-') !== undefined) {
    const inner = power(reader, depth + 1);
    return (values) => -inner(values);
  }
  const base = atom(reader, depth);
  if (reader.takeOneOf('^') === undefined) return base;
  const exponent = power(reader, depth + 1);
  return (values) => base(values) ** exponent(values);
}

function atom(reader: TokenReader, depth: number): Evaluate {
  const { text, line } = reader.next();
  if (text === '(') return closed(reader, sum(reader, depth + 1));
  if (/^[.\d]/.test(text)) return () => Number(text);
  if (text === 'pi') return () => Math.PI;
  if (Object.hasOwn(FUNCTIONS, text)) {
    reader.expect('(');
    const inner = closed(reader, sum(reader, depth + 1));
    return (values) => FUNCTIONS[text]!(inner(values));
  }
  return (values) => {
    const value = values.get(text);
    if (value === undefined) throw new QasmFault(`there is no number called "${text}"`, line);
    return value;
  };
}

function closed(reader: TokenReader, inner: Evaluate): Evaluate {
  reader.expect(')');
  return inner;
}
