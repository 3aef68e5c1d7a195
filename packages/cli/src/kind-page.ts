/** The page of a tool kind, built-in or from another package. */
import { didYouMean } from '@woof/expr/nearest';
import { toolPage } from '@woof/tools/tool-page';
import { definitionOf, toolKinds } from './tool-kinds.ts';
import { UserError } from './user-error.ts';

/** As JSON: its schema, and its manual. */
export async function kindPage(kind: string, json: boolean): Promise<string> {
  const found = await definitionOf(kind);
  if (found === undefined) {
    const kinds = toolKinds().map((schema) => schema.kind);
    const hint = didYouMean(kind, kinds) ?? `the kinds are ${kinds.join(', ')}`;
    throw new UserError(`no tool kind "${kind}"`, hint, 2);
  }
  const { schema, manual } = found;
  if (json) return `${JSON.stringify({ ...schema, ...(manual ? { manual } : {}) })}\n`;
  return toolPage(schema, manual);
}
