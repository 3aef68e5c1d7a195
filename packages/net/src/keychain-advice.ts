/**
 * What a person must write, and which fields they must set, for a keychain entry that a document uses but does not
 * declare.
 */
import { compile, isTemplate } from '@woof/expr';
import { isObject, type Json, type JsonObject } from './json.ts';
import type { Plan, Task } from './plan.ts';
import { RESERVED_NAMES } from './scope.ts';

interface Usual {
  kind: string;
  fields: readonly string[];
}

/** The credentials that tasks of a kind usually take. */
const USUAL: Record<string, Usual> = {
  postgres: { kind: 'postgres_credential', fields: ['host', 'port', 'user', 'password', 'database'] },
  http: { kind: 'bearer', fields: ['token'] },
  graphql: { kind: 'bearer', fields: ['token'] },
  llm: { kind: 'bearer', fields: ['token'] },
  s3: { kind: 'secret', fields: ['access_key_id', 'secret_access_key'] },
  nats: { kind: 'secret', fields: ['user', 'password'] },
};
const ANY: Usual = { kind: 'secret', fields: [] };

const usualOf = (tool: string): Usual => (Object.hasOwn(USUAL, tool) ? USUAL[tool]! : ANY);

export const usualFields = (tool: string): readonly string[] => usualOf(tool).fields;

const PATH = /^\s*\{\{-?\s*([A-Za-z_]\w*(?:\.\w+)*)\s*-?\}\}\s*$/;

/** The text that the document's own workload gives for a template such as `{{ pg_auth }}`. */
export function textInWorkload(template: string, workload: JsonObject): string | undefined {
  const [root = '', ...others] = PATH.exec(template)?.[1]?.split('.') ?? [];
  const path = root === 'workload' ? others : RESERVED_NAMES.has(root) ? [] : [root, ...others];
  let found: Json | undefined = path.length > 0 ? workload : undefined;
  for (const key of path) found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  return typeof found === 'string' ? found : undefined;
}

/** The entry as YAML, under its `keychain` key if the document has no keychain yet. */
export function declarationOf(name: string, tool: string, isFirst: boolean): string {
  const entry = `{name: ${name}, kind: ${usualOf(tool).kind}}`;
  return isFirst ? `keychain: [${entry}]` : `- ${entry}`;
}

/** The fields of an entry that the document uses: those that templates name, else those that its tools take. */
export function fieldsUsed({ steps, blocks, keychain }: Plan, name: string): readonly string[] {
  const tasks: Task[] = [...steps.flatMap((step) => step.tasks), ...Object.values(blocks)];
  const named = new Set(
    [tasks.map(({ input, spec }) => [input, spec]), keychain].flatMap((each) => read(each, name)),
  );
  if (named.size > 0) return [...named];
  const user = tasks.find(({ input }) => uses(input.auth ?? input.credential ?? null, name));
  return user ? usualOf(user.kind).fields : [];
}

function read(value: Json, name: string): string[] {
  if (typeof value === 'object' && value !== null)
    return Object.values(value).flatMap((each) => read(each, name));
  if (typeof value !== 'string' || !isTemplate(value)) return [];
  return [...(compile(value).template?.paths.keys() ?? [])].flatMap((path) => {
    const [root, entry, field] = path.split('.');
    return root === 'keychain' && entry === name && field !== undefined ? [field] : [];
  });
}

/** By its bare name, or as a whole in a template. */
function uses(auth: Json, name: string): boolean {
  if (typeof auth !== 'string') return false;
  return auth === name || compile(auth).template?.paths.has(`keychain.${name}`) === true;
}
