/** A workflow in canonical form; JSON stays JSON. */
import { formatYaml } from '../yaml/canonical.ts';
import { formatJson } from '../yaml/canonical-json.ts';
import { workflowShape } from './keys.ts';

export function formatWorkflow(text: string): string | undefined {
  const json = formatJson(text, workflowShape);
  if (json !== undefined) return json;
  const made = formatYaml(text, { shape: workflowShape, spaced: 'stages' });
  // Once trailing commas are gone, text in braces may be JSON.
  return made && (formatJson(made, workflowShape) ?? made);
}
