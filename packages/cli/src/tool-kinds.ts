/** The available tool kinds: built-in ones, and those of the packages that WOOF_TOOLS names. */
import type { ReadOptions } from '@woof/documents';
import type { ToolSchema } from '@woof/net';
import {
  createTools,
  type ForeignKind,
  KindFault,
  loadKinds,
  manualOf,
  resultStores,
  type Tool,
  type ToolOptions,
  toolSchemas,
} from '@woof/tools';
import { UserError } from './user-error.ts';

let loaded: ForeignKind[] | undefined;

export function toolKinds(): ToolSchema[] {
  const more = foreignKinds();
  return more.length === 0 ? toolSchemas : [...toolSchemas, ...more.map(({ schema }) => schema)];
}

/** What documents are read with. */
export function knownKinds(): Pick<ReadOptions, 'kinds' | 'resultStores'> {
  return { kinds: toolKinds(), resultStores };
}

/** A kind with what readers must know about it. */
export async function definitionOf(
  kind: string,
): Promise<Pick<ForeignKind, 'schema' | 'manual'> | undefined> {
  const schema = toolSchemas.find((each) => each.kind === kind);
  if (schema === undefined) return foreignKinds().find((each) => each.schema.kind === kind);
  const manual = await manualOf(kind);
  return { schema, ...(manual ? { manual } : {}) };
}

export function makeTools(options: ToolOptions): Map<string, Tool> {
  const tools = createTools(options);
  for (const { schema, create } of foreignKinds()) tools.set(schema.kind, { ...bound(create()), schema });
  return tools;
}

/** A third-party tool may be an instance of a class. */
function bound(tool: Tool): Omit<Tool, 'schema'> {
  return { run: (call, context) => tool.run(call, context), close: async () => tool.close?.() };
}

function foreignKinds(): ForeignKind[] {
  if (loaded) return loaded;
  const names = (process.env.WOOF_TOOLS ?? '').split(/[\s,]+/).filter((name) => name !== '');
  try {
    const taken = [...createTools().keys(), ...toolSchemas.map(({ kind }) => kind)];
    loaded = names.length === 0 ? [] : loadKinds(names, process.cwd(), taken);
    return loaded;
  } catch (error) {
    if (error instanceof KindFault)
      throw new UserError(error.message, 'check the packages in the environment variable WOOF_TOOLS', 2);
    throw error;
  }
}
