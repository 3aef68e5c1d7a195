/**
 * Owns: reading a list or dict written as JSON or as Python's repr. Returns JS undefined if it is neither. Throws
 * NotFinite if it contains a number that is too large for a float.
 */
import type { Expression } from './ast.ts';
import { decodeFinite } from './exact-json.ts';
import { ExpressionParser } from './expression-parser.ts';
import { NotFinite } from './json-numbers.ts';
import { tokeniseExpression } from './lexer.ts';
import { isNumber, negate } from './numbers.ts';
import { Fault } from './template-error.ts';
import { TokenStream } from './token-stream.ts';

const NOT_LITERAL = Symbol('not a literal');

export function readLiteral(text: string): unknown {
  return fromJson(text) ?? fromPython(text);
}

function fromJson(text: string): unknown {
  try {
    return decodeFinite(text);
  } catch (error) {
    if (error instanceof NotFinite) throw error;
    return undefined;
  }
}

function fromPython(text: string): unknown {
  try {
    const stream = new TokenStream(text, tokeniseExpression(text));
    const node = new ExpressionParser(stream).parseExpression();
    const value = stream.current.type === 'end' ? literal(node) : NOT_LITERAL;
    if (isInfinite(value)) throw new NotFinite();
    return value === NOT_LITERAL ? undefined : value;
  } catch (error) {
    if (error instanceof Fault || error instanceof RangeError) return undefined;
    throw error;
  }
}

function isInfinite(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(isInfinite);
}

function literal(node: Expression): unknown {
  switch (node.type) {
    case 'const':
      return node.value;
    case 'list':
    case 'tuple':
      return all(node.items.map(literal), (items) => items);
    case 'dict':
      return all(
        node.pairs.map(([key, value]) => all([literal(key), literal(value)], (pair) => pair)),
        (pairs) => Object.fromEntries(pairs as [string, unknown][]),
      );
    case 'unary':
      return negative(node.operator, literal(node.operand));
    default:
      return NOT_LITERAL;
  }
}

function negative(operator: string, value: unknown): unknown {
  return operator === '-' && typeof value !== 'boolean' && isNumber(value) ? negate(value) : NOT_LITERAL;
}

function all(values: unknown[], make: (values: unknown[]) => unknown): unknown {
  return values.includes(NOT_LITERAL) ? NOT_LITERAL : make(values);
}
