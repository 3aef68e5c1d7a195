/**
 * Owns: operators, with Jinja2's precedence: ternary, or, and, not, comparison, `+ -`, `~`, `* / // %`, `**` (left to
 * right), unary.
 * Does not own: operands (operand-parser.ts).
 */
import type { BinaryOperator, CompareOperator, Expression } from './ast.ts';
import { OperandParser } from './operand-parser.ts';

const LEVELS: readonly (readonly BinaryOperator[])[] = [['+', '-'], ['*', '/', '//', '%'], ['**']];
const COMPARISONS: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=']);

export class ExpressionParser extends OperandParser {
  /** Parses a whole expression. Commas outside brackets make a tuple. */
  override parseTuple(ternaries = true, ends: readonly string[] = []): Expression {
    const start = this.stream.current.start;
    const parse = (): Expression => (ternaries ? this.parseExpression() : this.#or());
    const first = parse();
    if (!this.stream.isOp(',')) return first;
    const items = [first];
    while (this.stream.skipOp(',')) {
      if (this.#atTupleEnd(ends)) break;
      items.push(parse());
    }
    return this.node(start, { type: 'tuple', items }, items);
  }

  #atTupleEnd(ends: readonly string[]): boolean {
    const { type } = this.stream.current;
    return (
      type === 'printend' ||
      type === 'tagend' ||
      type === 'end' ||
      this.stream.isOp(')') ||
      this.stream.isName(...ends)
    );
  }

  override parseExpression(): Expression {
    return this.nested(() => this.#ternary());
  }

  #ternary(): Expression {
    const start = this.stream.current.start;
    let then = this.#or();
    while (this.stream.skipName('if')) {
      const test = this.#or();
      const otherwise = this.stream.skipName('else') ? this.parseExpression() : undefined;
      then = this.node(start, { type: 'ternary', test, then, otherwise }, [test, then, otherwise]);
    }
    return then;
  }

  #or(): Expression {
    return this.#logic('or', () => this.#logic('and', () => this.#not()));
  }

  #logic(operator: 'and' | 'or', operand: () => Expression): Expression {
    const start = this.stream.current.start;
    let left = operand();
    while (this.stream.skipName(operator)) {
      const right = operand();
      left = this.node(start, { type: 'logic', operator, left, right }, [left, right]);
    }
    return left;
  }

  #not(): Expression {
    const start = this.stream.current.start;
    if (!this.stream.skipName('not')) return this.#compare();
    const operand = this.nested(() => this.#not());
    return this.node(start, { type: 'unary', operator: 'not', operand }, [operand]);
  }

  #compare(): Expression {
    const start = this.stream.current.start;
    const first = this.#binary(0);
    const rest: [CompareOperator, Expression][] = [];
    for (let operator = this.#comparison(); operator; operator = this.#comparison()) {
      rest.push([operator, this.#binary(0)]);
    }
    if (rest.length === 0) return first;
    return this.node(start, { type: 'compare', first, rest }, [first, ...rest.map(([, operand]) => operand)]);
  }

  #comparison(): CompareOperator | undefined {
    const { current, ahead } = this.stream;
    if (current.type === 'op' && COMPARISONS.has(current.text))
      return this.stream.next().text as CompareOperator;
    if (this.stream.skipName('in')) return 'in';
    if (this.stream.isName('not') && ahead.type === 'name' && ahead.text === 'in') {
      this.stream.next();
      this.stream.next();
      return 'not in';
    }
    return undefined;
  }

  #binary(level: number): Expression {
    const operators = LEVELS[level];
    if (!operators) return this.#unary(true);
    const operand = (): Expression => (level === 0 ? this.#concat() : this.#binary(level + 1));
    const start = this.stream.current.start;
    let left = operand();
    while (this.stream.isOp(...operators)) {
      const operator = this.stream.next().text as BinaryOperator;
      const right = operand();
      left = this.node(start, { type: 'binary', operator, left, right }, [left, right]);
    }
    return left;
  }

  #concat(): Expression {
    const start = this.stream.current.start;
    const items = [this.#binary(1)];
    while (this.stream.skipOp('~')) items.push(this.#binary(1));
    return items.length === 1 ? items[0]! : this.node(start, { type: 'concat', items }, items);
  }

  #unary(filters: boolean): Expression {
    const start = this.stream.current.start;
    const sign = this.stream.isOp('-', '+') ? (this.stream.next().text as '-' | '+') : undefined;
    const operand = sign ? this.nested(() => this.#unary(false)) : this.primary();
    const node = sign ? this.node(start, { type: 'unary', operator: sign, operand }, [operand]) : operand;
    return this.postfix(node, start, filters);
  }
}
