/** From a task's fields to what is to run: pure, with no network. */
import { isObject, type Json, type JsonObject } from '@woof/net';
import { booleanField, FieldFault, fault, numberField } from '../fields.ts';
import type { ToolCall } from '../tool.ts';
import { type PostgresAddress, toAddress } from './postgres-address.ts';
import { bare, type Statement, splitSql } from './split-sql.ts';

export interface PostgresTask {
  address: PostgresAddress;
  statements: (Statement & { values: Json[] })[];
  /** The statements happen all or not at all. */
  together: boolean;
  data: Json | undefined;
  seconds: number | undefined;
  maxBytes: number;
}

const GIB = 1024 ** 3;
/** A text with one of these manages transactions itself, or has what none may hold. */
const OWN_TRANSACTION =
  /^(begin|start\s+transaction|commit|end|rollback|abort|vacuum|(create|drop)\s+(database|tablespace)|alter\s+system|(create|drop|reindex).*\bconcurrently)\b/is;

export function toTask({ input, spec }: ToolCall): PostgresTask {
  const statements = statementsOf(input);
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

/** What it did would be undone with the end of the task, without a word. */
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
      `"command" begins a transaction in line ${begun.line} and does not end it: add COMMIT`,
    );
}

function statementsOf(input: JsonObject): PostgresTask['statements'] {
  const text = textOf(input);
  const params = paramsOf(input);
  const kind = params === undefined ? 'none' : Array.isArray(params) ? 'numbered' : 'named';
  const statements = splitSql(text, kind);
  if (statements.length === 0) throw new FieldFault('"command" holds no statement');
  return statements.map((each) => ({ ...each, values: each.uses.map((use) => boundValue(params, use)) }));
}

function textOf(input: JsonObject): string {
  const name = ['command', 'commands', 'query'].find(
    (each) => input[each] !== undefined && input[each] !== null,
  );
  if (name === undefined) throw new FieldFault('"command" is missing: give the SQL to run');
  const value = input[name];
  const texts = Array.isArray(value) ? value : [value];
  if (!texts.every((text) => typeof text === 'string'))
    throw fault(name, 'SQL as text, or a list of texts', value);
  const text = texts.join(';\n');
  if (text.includes('\0')) throw new FieldFault(`"${name}" must not hold a zero byte`);
  return text;
}

function paramsOf({ params }: JsonObject): Json[] | JsonObject | undefined {
  if (params === undefined || params === null) return undefined;
  if (Array.isArray(params) || isObject(params)) return params;
  throw fault('params', 'a list for $1, $2, or a map for :name', params);
}

function boundValue(params: Json[] | JsonObject | undefined, use: string | number): Json {
  if (typeof use === 'number') {
    const list = params as Json[];
    if (use >= 0 && use < list.length) return list[use] as Json;
    throw new FieldFault(`"params" has ${list.length} values, and the SQL asks for $${use + 1}`);
  }
  const map = params as JsonObject;
  if (Object.hasOwn(map, use)) return map[use] as Json;
  const known = Object.keys(map).join(', ') || 'nothing';
  throw new FieldFault(`"params" has no "${use}", for which the SQL asks; it has ${known}`);
}
