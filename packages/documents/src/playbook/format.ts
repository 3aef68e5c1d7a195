/** A playbook in canonical form. */
import { formatYaml } from '../yaml/canonical.ts';
import { playbookShape } from './key-order.ts';

export function formatPlaybook(text: string): string | undefined {
  return formatYaml(text, { shape: playbookShape, spaced: 'workflow' });
}
