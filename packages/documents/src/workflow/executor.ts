/** `executor` of an exec block: on the worker itself, or on a Slurm cluster. */
import { type Executor, isOurSbatchOption, type SlurmExecutor } from '@woof/net';
import { child, type MapNode, type Node } from '../yaml/tree.ts';
import { DEFAULTS } from './defaults.ts';
import { problems } from './diagnostics.ts';
import { SLURM_KEYS } from './keys.ts';
import { optional } from './optional.ts';
import type { Reading } from './reading.ts';

const KINDS = ['local', 'slurm'] as const;
/** Minutes, or [days-]hours:minutes:seconds with parts left out, as sbatch accepts them. */
const TIME_LIMIT = /^(\d+|\d+:\d{1,2}(:\d{1,2})?|\d+-\d{1,2}(:\d{1,2}){0,2}|UNLIMITED|INFINITE)$/i;
const COUNT = { least: 1, most: 1_000_000_000, whole: true };
const POLL = { least: 100, most: 3_600_000, whole: true };

export function takeExecutor(reading: Reading, node: Node | undefined): Executor {
  if (node === undefined) return DEFAULTS.executor;
  const hint = node.type === 'scalar' ? `write \`executor: {kind: ${node.value}}\`` : undefined;
  if (node.type !== 'map') reading.refuseType(node, 'executor', 'a map', hint);
  if (node.type !== 'map') return DEFAULTS.executor;
  const kind = child(node, 'kind');
  if (kind === undefined) reading.report(problems.missing(reading.keySpan(node), 'the executor', 'kind'));
  if (reading.takeWord(kind, 'executor.kind', KINDS) === 'slurm') return takeSlurm(reading, node);
  if (kind?.type === 'scalar' && kind.value === 'local')
    reading.checkKeys(node, 'the local executor', ['kind']);
  return DEFAULTS.executor;
}

function takeSlurm(reading: Reading, node: MapNode): SlurmExecutor {
  reading.checkKeys(node, 'the slurm executor', SLURM_KEYS);
  return {
    kind: 'slurm',
    ...optional({
      partition: takeName(reading, node, 'partition'),
      time_limit: takeTimeLimit(reading, child(node, 'time_limit')),
      cpus_per_task: reading.takeNumber(node, 'cpus_per_task', COUNT),
      mem_mb: reading.takeNumber(node, 'mem_mb', COUNT),
      account: takeName(reading, node, 'account'),
      qos: takeName(reading, node, 'qos'),
    }),
    extra_args: takeExtra(reading, child(node, 'extra_args')),
    poll_ms: reading.takeNumber(node, 'poll_ms', POLL) ?? DEFAULTS.poll_ms,
  };
}

function takeName(reading: Reading, map: MapNode, key: string): string | undefined {
  const node = child(map, key);
  const name = node && reading.takeWritten(node, `executor.${key}`);
  if (name === undefined || /^[^\s-]\S*$/.test(name)) return name;
  return reading.refuseType(node!, `executor.${key}`, 'a name without blanks');
}

function takeTimeLimit(reading: Reading, node: Node | undefined): string | undefined {
  const text = node && reading.takeWritten(node, 'executor.time_limit');
  if (text === undefined || TIME_LIMIT.test(text)) return text;
  return reading.refuseType(
    node!,
    'executor.time_limit',
    'minutes, hours:minutes:seconds or days-hours',
    'for example "90", "1:30:00" or "2-12"',
  );
}

function takeExtra(reading: Reading, node: Node | undefined): string[] {
  const items = node?.type === 'list' ? node.items : [];
  for (const item of items) {
    if (item.type !== 'scalar' || typeof item.value !== 'string' || !isOurSbatchOption(item.value)) continue;
    reading.report(problems.slurmOption(reading.span(item), item.value.split('=', 1)[0]!));
  }
  return reading.takeTexts(node, 'extra_args');
}
