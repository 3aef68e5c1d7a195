import type { ToolManual } from '../tool-manual.ts';

export const playbookManual: ToolManual = {
  about: ['Runs another playbook as a run of its own: see [Playbooks](../playbooks.md#nested-playbooks).'],
  result: [
    'The result is that of `return_step`, else `{execution_id, status, result}`. A child that did not succeed is an error of the kind `exception`, with its `execution_id` in `details`.',
  ],
  errors: [{ kinds: ['exception'], when: 'the child did not succeed; `details` has its `execution_id`' }],
  example: `- ship: {kind: playbook, path: ship.yaml, args: {order: "{{ order }}"}, return_step: label}
`,
};
