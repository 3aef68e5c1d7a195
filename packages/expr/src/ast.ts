/** Owns: the nodes that the parser returns and the compiler accepts. Every node knows its span in the source. */
import type { Span } from './template-error.ts';

export interface Arguments {
  readonly positional: readonly Expression[];
  readonly keyword: readonly (readonly [string, Expression])[];
  readonly star: Expression | undefined;
  readonly doubleStar: Expression | undefined;
}

export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**';
export type CompareOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in';

interface Node extends Span {
  /** Height of the tree below, bounded by the parser so that no recursion gets too deep. */
  readonly height: number;
}

export type Expression =
  | (Node & { type: 'const'; value: unknown })
  | (Node & { type: 'name'; name: string })
  | (Node & { type: 'list' | 'tuple'; items: readonly Expression[] })
  | (Node & { type: 'dict'; pairs: readonly (readonly [Expression, Expression])[] })
  | (Node & { type: 'attribute'; object: Expression; name: string })
  | (Node & { type: 'item'; object: Expression; key: Expression })
  | (Node & { type: 'slice'; object: Expression; parts: readonly (Expression | undefined)[] })
  | (Node & { type: 'call'; callee: Expression; args: Arguments })
  | (Node & { type: 'filter'; subject: Expression; name: string; args: Arguments })
  | (Node & { type: 'test'; subject: Expression; name: string; args: Arguments; negated: boolean })
  | (Node & { type: 'unary'; operator: '-' | '+' | 'not'; operand: Expression })
  | (Node & { type: 'binary'; operator: BinaryOperator; left: Expression; right: Expression })
  | (Node & { type: 'concat'; items: readonly Expression[] })
  | (Node & { type: 'logic'; operator: 'and' | 'or'; left: Expression; right: Expression })
  | (Node & { type: 'compare'; first: Expression; rest: readonly (readonly [CompareOperator, Expression])[] })
  | (Node & { type: 'ternary'; test: Expression; then: Expression; otherwise: Expression | undefined });

export type ExpressionOf<T extends Expression['type']> = Extract<Expression, { type: T }>;

/** What `set`, `for` and `with` bind. */
export type Target =
  | (Span & { type: 'name'; name: string })
  | (Span & { type: 'member'; namespace: string; name: string })
  | (Span & { type: 'tuple'; items: readonly Target[] });

export interface MacroSignature {
  readonly params: readonly string[];
  readonly defaults: readonly Expression[];
}

export interface Branch {
  readonly test: Expression;
  readonly body: readonly Statement[];
}

export type Statement =
  | { type: 'text'; text: string }
  | (Span & { type: 'output'; value: Expression })
  | (Span & { type: 'if'; branches: readonly Branch[]; otherwise: readonly Statement[] })
  | (Span & {
      type: 'for';
      target: Target;
      items: Expression;
      filter: Expression | undefined;
      recursive: boolean;
      body: readonly Statement[];
      otherwise: readonly Statement[];
    })
  | (Span & { type: 'set'; target: Target; value: Expression })
  | (Span & { type: 'set-block'; target: Target; filters: readonly FilterStep[]; body: readonly Statement[] })
  | (Span & {
      type: 'with';
      bindings: readonly (readonly [Target, Expression])[];
      body: readonly Statement[];
    })
  | (Span & { type: 'macro'; name: string; signature: MacroSignature; body: readonly Statement[] })
  | (Span & {
      type: 'call-block';
      signature: MacroSignature;
      call: ExpressionOf<'call'>;
      body: readonly Statement[];
    })
  | (Span & { type: 'filter-block'; filters: readonly FilterStep[]; body: readonly Statement[] })
  | (Span & { type: 'do'; value: Expression });

export type StatementOf<T extends Statement['type']> = Extract<Statement, { type: T }>;

export interface FilterStep extends Span {
  readonly name: string;
  readonly args: Arguments;
}
