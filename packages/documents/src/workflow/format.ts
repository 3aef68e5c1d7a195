/** A workflow in canonical form; JSON stays JSON. */
import { formatYaml } from '../yaml/canonical.ts';
import { formatJson } from '../yaml/canonical-json.ts';
import { workflowShape } from './keys.ts';

export function formatWorkflow(text: string): string | undefined {
  return formatJson(text, workflowShape) ?? formatYaml(text, { shape: workflowShape, spaced: 'stages' });
}
