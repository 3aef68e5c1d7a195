import type { ToolManual } from '../tool-manual.ts';

export const playbookManual: ToolManual = {
  about: ['Runs another playbook as a separate run: see [Playbooks](../playbooks.md#nested-playbooks).'],
  result: [
    'The result is that of `return_step`, or `{execution_id, status, result}` without it. If the child does not succeed, the outcome is an error of kind `exception`, with its `execution_id` in `details`.',
  ],
  errors: [{ kinds: ['exception'], when: 'The child did not succeed. `details` has its `execution_id`.' }],
  example: `- ship: {kind: playbook, path: ship.yaml, args: {order: "{{ order }}"}, return_step: label}
`,
};
