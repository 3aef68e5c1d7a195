/** The keys of a workflow, in their canonical order: the linter and the formatter read the same table. */
import { SCHEDULE_KEYS } from '../schedules/read-schedules.ts';
import type { MapShape } from '../yaml/key-order.ts';

export const STAGE_KINDS = ['exec_block', 'gate', 'noop'] as const;
export type StageKind = (typeof STAGE_KINDS)[number];

export const ROOT_KEYS = ['name', 'description', 'metadata', 'workload', 'stages', 'edges'];
export const EDGE_KEYS = ['from', 'to'];
export const STAGE_KEYS = ['stage_id', 'kind', 'description', 'deps', 'if', 'matrix', 'labels', 'config'];
const BLOCK_KEYS = [
  'workdir',
  'executor',
  'sandbox',
  'io_policy',
  'allow_shell',
  'env',
  'max_attempts',
  'backoff',
  'delay_sec',
  'resumable',
  'restart',
  'halt_on_error',
  'commands',
  'outputs',
];
const GATE_KEYS = ['message', 'approvers', 'timeout_sec'];
export const COMMAND_KEYS = ['name', 'program', 'args', 'cwd', 'env', 'timeout_sec', 'allow_failure'];
export const SLURM_KEYS = [
  'kind',
  'partition',
  'account',
  'qos',
  'time_limit',
  'cpus_per_task',
  'mem_mb',
  'extra_args',
  'poll_ms',
];
export const IO_KEYS = ['allow_files', 'allow_network', 'allow_shell'] as const;

/** The keys of a stage's `config`; the stage itself may have them too. */
export const CONFIG_KEYS: Record<StageKind, readonly string[]> = {
  exec_block: BLOCK_KEYS,
  gate: GATE_KEYS,
  noop: [],
};

const inBlock: MapShape['inside'] = {
  commands: () => ({ first: COMMAND_KEYS }),
  executor: () => ({ first: SLURM_KEYS }),
  io_policy: () => ({ first: IO_KEYS }),
};
const config: MapShape = { first: [...BLOCK_KEYS, ...GATE_KEYS], inside: inBlock };

export const workflowShape: MapShape = {
  first: ROOT_KEYS,
  inside: {
    metadata: () => ({
      first: ['name', 'path', 'version', 'description', 'schedules'],
      inside: { schedules: () => ({ first: SCHEDULE_KEYS }) },
    }),
    stages: () => ({
      first: [...STAGE_KEYS, ...config.first],
      inside: {
        ...inBlock,
        matrix: () => ({ first: [], last: ['include', 'exclude'] }),
        config: () => config,
      },
    }),
    edges: () => ({ first: EDGE_KEYS }),
  },
};
