/** The root's sections besides the workflow and the keychain: metadata, executor, workload. */
import { isTemplate } from '@woof/expr';
import type { JsonObject } from '@woof/net';
import { child, eachScalar, type MapNode, mapToJson, type Node } from '../yaml/tree.ts';
import { takePolicy } from './control.ts';
import { problems } from './diagnostics.ts';
import { checkKnobs } from './knobs.ts';
import type { Reading } from './reading.ts';
import { type Layer, layerOf } from './spec-layers.ts';
import { takeLabels, type WorkerLabels } from './worker-labels.ts';

/** The limit of a catalogue. */
const LONGEST_PATH = 300;

const CREDENTIAL_KEYS = [
  'keychain',
  'credentials',
  'credential',
  'auth',
  'secrets',
  'secret',
  'token',
  'password',
];

export function takeMetadata(reading: Reading, root: MapNode): { name: string; path?: string } {
  const node = child(root, 'metadata');
  if (!node)
    reading.report(
      problems.missing(reading.keySpan(root), 'the playbook', 'metadata', 'add metadata: {name: …}'),
    );
  const metadata = reading.takeMap(node, 'metadata');
  if (!metadata) return { name: '' };
  const name = reading.takeRequiredText(metadata, 'name', 'metadata') ?? '';
  const pathNode = child(metadata, 'path');
  const path = reading.takeText(pathNode, 'metadata.path');
  if (pathNode && path !== undefined && path.length > LONGEST_PATH)
    reading.report(problems.tooLong(reading.span(pathNode), 'metadata.path', LONGEST_PATH, path.length));
  return { name, ...(path === undefined ? {} : { path }) };
}

/** Settings of the playbook as a whole: no task inherits them. */
const OWN_KNOBS = ['entry_step', 'labels', 'schedules', 'no_next_is_error'];

/** `auto` leaves the choice to the runtime, and this one chooses `distributed`. */
const PROFILES = ['local', 'distributed', 'auto'] as const;
/** The runtimes whose playbooks mean the same here. */
const VERSIONS = ['noetl-runtime/1', 'noetl-runtime/2'] as const;
/** What a playbook may require besides tools; available in every run. */
const FEATURES = ['result_storage'] as const;

export interface Executor {
  /** All jobs of a run stay on one worker. */
  isLocal: boolean;
  layers: Layer[];
  labels: WorkerLabels;
  entry: Node | undefined;
  /** When a server starts it. */
  schedules: Node | undefined;
}

export function takeExecutor(reading: Reading, root: MapNode): Executor {
  const executor = reading.takeMap(child(root, 'executor'), 'executor');
  if (!executor) return { isLocal: false, layers: [], labels: {}, entry: undefined, schedules: undefined };
  reading.checkKeys(executor, 'executor', ['profile', 'version', 'requires', 'spec'], CREDENTIAL_KEYS);
  const spec = reading.takeMap(child(executor, 'spec'), 'executor.spec');
  for (const map of [executor, ...(spec ? [spec] : [])]) refuseCredentials(reading, map);
  checkKnobs(reading, spec, 'executor.spec', [...OWN_KNOBS, 'policy', ...CREDENTIAL_KEYS]);
  takePolicy(reading, child(spec, 'policy'), "the executor's policy");
  reading.takeWord(child(executor, 'version'), 'executor.version', VERSIONS);
  checkRequired(reading, child(executor, 'requires'));
  refuseErrorAtEnd(reading, child(spec, 'no_next_is_error'));
  const layers = layerOf(reading, spec, OWN_KNOBS);
  return {
    isLocal: reading.takeWord(child(executor, 'profile'), 'executor.profile', PROFILES) === 'local',
    layers,
    labels: takeLabels(reading, spec),
    entry: child(spec, 'entry_step'),
    schedules: child(spec, 'schedules'),
  };
}

/** A playbook that requires something unavailable is refused before it runs. */
function checkRequired(reading: Reading, node: Node | undefined): void {
  const requires = reading.takeMap(node, 'executor.requires');
  if (!requires) return;
  reading.checkKeys(requires, 'executor.requires', ['tools', 'features']);
  const kinds = [...reading.kinds.keys()];
  for (const tool of reading.takeList(child(requires, 'tools'), 'executor.requires.tools')?.items ?? []) {
    const kind = reading.takeText(tool, 'a required tool');
    if (kind !== undefined && !kinds.includes(kind))
      reading.report(problems.unknownKind(reading.span(tool), kind, kinds));
  }
  const features = reading.takeList(child(requires, 'features'), 'executor.requires.features');
  for (const feature of features?.items ?? []) reading.takeWord(feature, 'a required feature', FEATURES);
}

function refuseErrorAtEnd(reading: Reading, node: Node | undefined): void {
  if (node === undefined || (node.type === 'scalar' && node.value === false)) return;
  reading.report(problems.errorAtEnd(reading.span(node)));
}

function refuseCredentials(reading: Reading, map: MapNode): void {
  for (const key of CREDENTIAL_KEYS) {
    const entry = map.entries.get(key);
    if (entry) reading.report(problems.executorCredentials(reading.span(entry.at), key));
  }
}

export function takeWorkload(reading: Reading, root: MapNode): JsonObject {
  const workload = reading.takeMap(child(root, 'workload'), 'workload');
  if (!workload) return {};
  eachScalar(workload, '', (node) => {
    if (typeof node.value !== 'string' || !isTemplate(node.value)) return;
    reading.report(problems.workloadTemplate(reading.span(node)));
  });
  return mapToJson(workload);
}
