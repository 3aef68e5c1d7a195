/** A workflow in canonical form. */
import { formatYaml } from '../yaml/canonical.ts';
import { workflowShape } from './keys.ts';

export function formatWorkflow(text: string): string | undefined {
  return formatYaml(text, { shape: workflowShape, spaced: 'stages' });
}
