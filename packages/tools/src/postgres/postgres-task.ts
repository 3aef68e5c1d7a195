/** From a task's fields to what is to run: pure, without network access. */
import type { Json, JsonObject } from '@woof/net';
import { booleanField, FieldFault, numberField } from '../fields.ts';
import { sqlParams } from '../sql-text.ts';
import type { ToolCall } from '../tool.ts';
import { type PostgresAddress, toAddress } from './postgres-address.ts';
import { bare, type Statement, splitSql } from './split-sql.ts';

export interface PostgresTask {
  address: PostgresAddress;
  statements: (Statement & { values: Json[] })[];
  /** Runs the statements in one transaction. */
  together: boolean;
  data: Json | undefined;
  seconds: number | undefined;
  maxBytes: number;
}

const GIB = 1024 ** 3;
/** A text with one of these manages transactions itself, or cannot run in one. */
const OWN_TRANSACTION =
  /^(begin|start\s+transaction|commit|end|rollback|abort|vacuum|(create|drop)\s+(database|tablespace)|alter\s+system|(create|drop|reindex).*\bconcurrently)\b/is;

/** `args`: the step's, to be bound by name. */
export function toTask({ input, spec }: ToolCall, sql: string, args: JsonObject = {}): PostgresTask {
  const statements = statementsOf(input, sql, args);
  refuseOpenTransaction(statements);
  const own = statements.some(({ text }) => OWN_TRANSACTION.test(bare(text)));
  return {
    address: toAddress(input),
    statements,
    together: (booleanField(input, 'transaction') ?? statements.length > 1) && !own,
    data: input.data,
    seconds: numberField(input, 'timeout') ?? numberField(spec, 'timeout'),
    maxBytes: numberField(input, 'max_bytes', 1) ?? GIB,
  };
}

/** The end of the task would silently roll back its work. */
function refuseOpenTransaction(statements: Statement[]): void {
  let begun: Statement | undefined;
  for (const statement of statements) {
    const text = bare(statement.text);
    if (/^(begin|start\s+transaction)\b/i.test(text)) begun = statement;
    else if (/^(commit|end|rollback(?!.*\bto\b)|abort|prepare\s+transaction)\b/is.test(text))
      begun = undefined;
  }
  if (begun)
    throw new FieldFault(
      `"command" begins a transaction on line ${begun.line} and does not end it: add COMMIT`,
    );
}

function statementsOf(input: JsonObject, sql: string, args: JsonObject): PostgresTask['statements'] {
  const own = sqlParams(input, ':name');
  const params = Array.isArray(own) ? own : { ...args, ...own };
  // If a task has no params of its own, a colon before a word that is not an argument has no meaning.
  const known = own === undefined ? new Set(Object.keys(args)) : undefined;
  const statements = splitSql(sql, Array.isArray(own) ? 'numbered' : 'named', known);
  if (statements.length === 0) throw new FieldFault('"command" contains no statement');
  return statements.map((each) => ({ ...each, values: each.uses.map((use) => boundValue(params, use)) }));
}

function boundValue(params: Json[] | JsonObject, use: string | number): Json {
  if (typeof use === 'number') {
    const list = params as Json[];
    if (use >= 0 && use < list.length) return list[use] as Json;
    throw new FieldFault(`"params" has ${list.length} values, but the SQL uses $${use + 1}`);
  }
  const map = params as JsonObject;
  if (Object.hasOwn(map, use)) return map[use] as Json;
  const known = Object.keys(map).join(', ') || 'nothing';
  throw new FieldFault(`"params" has no "${use}", which the SQL uses; it has ${known}`);
}
