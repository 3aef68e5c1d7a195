/**
 * Owns: the truth of a guard if only some paths are known, for tools that ask whether it can ever hold. Undefined: it
 * depends on unknown paths.
 */
import type { CompareOperator, Expression } from './ast.ts';
import { pathOf } from './compile-context.ts';
import { plainGuardTruth } from './guard-truth.ts';

/** Values by dotted path, such as `event.name`. */
export type KnownPaths = ReadonlyMap<string, string>;

export function partialTruth(node: Expression, known: KnownPaths): boolean | undefined {
  switch (node.type) {
    case 'unary':
      return node.operator === 'not' ? negated(partialTruth(node.operand, known)) : undefined;
    case 'logic': {
      const sides = [partialTruth(node.left, known), partialTruth(node.right, known)];
      const decisive = node.operator === 'or';
      if (sides.includes(decisive)) return decisive;
      return sides.includes(undefined) ? undefined : !decisive;
    }
    case 'compare':
      return compared(node.first, node.rest, known);
    default: {
      const value = knownValue(node, known);
      return value === undefined ? undefined : plainGuardTruth(value);
    }
  }
}

function compared(
  first: Expression,
  rest: readonly (readonly [CompareOperator, Expression])[],
  known: KnownPaths,
): boolean | undefined {
  const [operator, second] = rest[0]!;
  const [left, right] = [knownValue(first, known), knownValue(second, known)];
  if (rest.length > 1 || typeof left !== 'string' || right === undefined) return undefined;
  if (operator === '==') return left === right;
  if (operator === '!=') return left !== right;
  const isIn = Array.isArray(right) || typeof right === 'string' ? right.includes(left) : undefined;
  if (operator === 'in') return isIn;
  return operator === 'not in' ? negated(isIn) : undefined;
}

function knownValue(node: Expression, known: KnownPaths): unknown {
  if (node.type === 'const') return node.value;
  if (node.type === 'list' || node.type === 'tuple') {
    const items = node.items.map((item) => knownValue(item, known));
    return items.includes(undefined) ? undefined : items;
  }
  const path = pathOf(node);
  return path && known.get(path.join('.'));
}

const negated = (truth: boolean | undefined): boolean | undefined =>
  truth === undefined ? undefined : !truth;
