/** The canonical order of keys at each level of a playbook: one table, walked in parallel with the document. */
import { SCHEDULE_KEYS } from '../schedules/read-schedules.ts';
import { type MapShape, plain, resolve, type Shape } from '../yaml/key-order.ts';

const PATCHES = ['set_iter', 'set_ctx', 'set_vars', 'set_shared', 'set_prev'];

const directive: MapShape = { first: ['do', 'allow', 'attempts', 'backoff', 'delay', 'to', ...PATCHES] };
const thenOnly: MapShape = { first: ['then'], others: () => directive };
const rule: MapShape = {
  first: ['when', 'then', 'else'],
  inside: { when: () => plain, else: () => thenOnly },
  others: () => directive,
};
const policy: MapShape = {
  first: ['admit', 'rules'],
  inside: { rules: () => rule, admit: () => ({ first: ['rules'], inside: { rules: () => rule } }) },
};
const spec: MapShape = {
  first: ['entry_step', 'schedules', 'join', 'mode', 'max_in_flight'],
  last: ['policy'],
  inside: { policy: () => policy, schedules: () => ({ first: SCHEDULE_KEYS }) },
};
const task: MapShape = { first: ['kind', 'name'], last: ['spec'], inside: { spec: () => spec } };
/** A task, or a label with its task. */
const labelledTask: Shape = (keys) => (keys.includes('kind') ? task : { first: [], others: () => task });
const block: Shape = (keys) =>
  keys.includes('tool') ? { first: ['name', 'desc', 'tool'], inside: { tool: () => task } } : task;
const loop: MapShape = {
  first: ['in', 'iterator', 'spec', 'loop'],
  inside: { spec: () => spec, loop: () => loop },
};
const arc: MapShape = { first: ['step', 'when', 'args', 'spec'] };
const step: MapShape = {
  first: ['step', 'desc', 'spec', 'args', 'loop', 'tool', 'set_ctx', 'next'],
  inside: {
    spec: () => spec,
    loop: () => loop,
    tool: () => labelledTask,
    next: () => ({ first: ['spec', 'arcs'], inside: { arcs: () => arc } }),
  },
};

export const playbookShape: MapShape = {
  first: ['apiVersion', 'kind', 'metadata', 'keychain', 'executor', 'workload', 'workflow', 'workbook'],
  inside: {
    metadata: () => ({ first: ['name', 'path', 'version', 'description'] }),
    keychain: () => ({ first: ['name', 'kind'] }),
    executor: () => ({ first: ['profile', 'version', 'spec'], inside: { spec: () => spec } }),
    workflow: () => step,
    workbook: () => (keys) =>
      keys.includes('name') && (keys.includes('tool') || keys.includes('kind'))
        ? resolve(block, keys)
        : { first: [], others: () => block },
  },
};
