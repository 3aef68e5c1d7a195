/**
 * What the worker must know about the kind of a task: the schema of its tool, or of a kind that the worker performs
 * itself.
 */
import type { Task, ToolSchema } from '@woof/net';
import { type Tool, workerSchemas } from '@woof/tools';

type Known = Pick<ToolSchema, 'fields' | 'pure' | 'runsCode' | 'credentialFrom'>;

/** A cell looks in the cache first, and itself waits until everything before it is durable. */
const CELL: Known = { fields: {}, pure: true, runsCode: true };

const OWN: ReadonlyMap<string, Known> = new Map([
  ...workerSchemas.map((schema): [string, Known] => [schema.kind, schema]),
  ['cell', CELL],
]);

export function schemaOf(kind: string, tools: ReadonlyMap<string, Tool>): Known | undefined {
  return tools.get(kind)?.schema ?? OWN.get(kind);
}

/** True: the task may start before everything that led to it is durable. */
export function isPure(task: Task | undefined, tools: ReadonlyMap<string, Tool>): boolean {
  if (task === undefined || task.spec.limit !== undefined) return false;
  return schemaOf(task.kind, tools)?.pure === true;
}
