/**
 * Reads the schedules that a document declares from its tree. They say when a server starts the document once it is
 * registered; other ways to run it ignore them. Owns: shape, cron, zone, policies, payload. Does not own: where in a
 * document they are.
 */
import { isTemplate } from '@woof/expr';
import {
  CATCH_UPS,
  type DeclaredSchedule,
  type Diagnostic,
  encodeJson,
  isCronFault,
  isObject,
  type Json,
  type JsonObject,
  LARGEST_PAYLOAD,
  OVERLAPS,
  parseCron,
  SCHEDULE_DEFAULTS,
  zoneHint,
  zoneOf,
} from '@woof/net';
import { describe } from '../yaml/reading.ts';
import type { Span } from '../yaml/source.ts';
import {
  child,
  eachScalar,
  type MapNode,
  mapToJson,
  type Node,
  type ScalarNode,
  toJson,
} from '../yaml/tree.ts';
import { scheduleProblems as problems } from './diagnostics.ts';
import { MOST_SCHEDULES, NAME, PRIORITIES } from './limits.ts';

/** In their canonical order. */
export const SCHEDULE_KEYS = ['name', 'cron', 'timezone', 'catch_up', 'overlap', 'payload', 'priority'];

/** Root keys that authors use for schedules. */
export const MISPLACED = ['schedule', 'schedules', 'cron'];

interface ScheduleScope {
  report(diagnostic: Diagnostic): void;
  span(place: { start: number; end: number }): Span;
  /** Where they belong in such a document. */
  place: string;
  /** The document's path at a server. */
  path: string | undefined;
  /** The inputs that the document declares, with their values. */
  inputs: JsonObject;
  /** Words for the linter: what declares no such input. */
  declares: string;
  /** Whether {{ … }} means something elsewhere in the document. */
  hasTemplates: boolean;
}

/** The schedules in `node`; at the root of a document, where one would look for them first, they are misplaced. */
export function readSchedules(
  root: MapNode | undefined,
  node: Node | undefined,
  scope: ScheduleScope,
): DeclaredSchedule[] {
  warnMisplaced(root, scope);
  if (node === undefined) return [];
  if (node.type !== 'list') {
    const hint = node.type === 'map' ? 'write one item per schedule: `- cron: …`' : undefined;
    scope.report(problems.shape(scope.span(node), '`schedules`', 'a list', describe(node), hint));
    return [];
  }
  if (node.items.length > MOST_SCHEDULES) {
    scope.report(problems.tooMany(scope.span(node), MOST_SCHEDULES));
    return [];
  }
  const [first] = node.items;
  if (first && scope.path === undefined) scope.report(problems.noPath(scope.span(first)));
  const lines = new Map<string | undefined, number>();
  return node.items.flatMap((item) => {
    const reader = new ScheduleReader(scope);
    const schedule = item.type === 'map' ? reader.read(item) : reader.refuse(item, 'a schedule', 'a map');
    if (schedule === undefined || item.type !== 'map') return [];
    reader.refuseTwice(child(item, 'name') ?? item, schedule.name, lines);
    return [schedule];
  });
}

function warnMisplaced(root: MapNode | undefined, { report, span, place }: ScheduleScope): void {
  for (const key of MISPLACED) {
    const entry = root?.entries.get(key);
    if (entry) report(problems.misplaced(span(entry.at), key, place));
  }
}

class ScheduleReader {
  constructor(private readonly scope: ScheduleScope) {}

  read(map: MapNode): DeclaredSchedule | undefined {
    this.refuseUnknown(map);
    const name = this.takeName(child(map, 'name'));
    const cron = this.takeCron(map);
    const timezone = this.takeZone(child(map, 'timezone'));
    const catch_up = this.takeWord(child(map, 'catch_up'), 'catch_up', CATCH_UPS);
    const overlap = this.takeWord(child(map, 'overlap'), 'overlap', OVERLAPS);
    const payload = this.takePayload(child(map, 'payload'));
    const priority = this.takePriority(child(map, 'priority'));
    if (cron === undefined) return undefined;
    return {
      ...(name === undefined ? {} : { name }),
      cron,
      timezone: timezone ?? SCHEDULE_DEFAULTS.timezone,
      catch_up: catch_up ?? SCHEDULE_DEFAULTS.catch_up,
      overlap: overlap ?? SCHEDULE_DEFAULTS.overlap,
      payload,
      ...(priority === undefined ? {} : { priority }),
    };
  }

  refuse(node: Node, what: string, expected: string): undefined {
    this.scope.report(problems.shape(this.scope.span(node), what, expected, describe(node)));
  }

  refuseTwice(at: Node, name: string | undefined, lines: Map<string | undefined, number>): void {
    const span = this.scope.span(at);
    const first = lines.get(name);
    if (first === undefined) lines.set(name, span.line);
    else this.scope.report(problems.duplicateName(span, name, first));
  }

  /** Not a warning: with an ignored time zone, runs would start at another time than the one written. */
  private refuseUnknown(map: MapNode): void {
    for (const { key, at } of map.entries.values()) {
      if (SCHEDULE_KEYS.includes(key)) continue;
      this.scope.report(problems.unknownKey(this.scope.span(at), key, SCHEDULE_KEYS));
    }
  }

  private takeName(node: Node | undefined): string | undefined {
    const text = this.takeText(node, 'name');
    if (text !== undefined && !NAME.test(text))
      this.scope.report(problems.badName(this.scope.span(node!), text));
    return text;
  }

  private takeCron(map: MapNode): string | undefined {
    const node = child(map, 'cron');
    if (node === undefined) {
      const [first] = map.entries.values();
      this.scope.report(problems.noCron(this.scope.span(first?.at ?? map)));
      return undefined;
    }
    const text = this.takeText(node, 'cron');
    if (text === undefined) return undefined;
    const cron = parseCron(text);
    if (!isCronFault(cron)) return text;
    const at = within(node as ScalarNode, text, cron.column - 1, cron.endColumn - 1);
    this.scope.report(problems.badCron(this.scope.span(at), `cron: ${cron.message}`, cron.example));
    return undefined;
  }

  private takeZone(node: Node | undefined): string | undefined {
    const text = this.takeText(node, 'timezone');
    if (text !== undefined && zoneOf(text) === undefined)
      this.scope.report(problems.unknownZone(this.scope.span(node!), text, zoneHint(text)));
    return text;
  }

  private takeWord<Word extends string>(
    node: Node | undefined,
    what: string,
    allowed: readonly Word[],
  ): Word | undefined {
    const text = this.takeText(node, what);
    const word = allowed.find((each) => each === text);
    if (text !== undefined && word === undefined)
      this.scope.report(problems.notOneOf(this.scope.span(node!), what, text, allowed));
    return word;
  }

  private takeText(node: Node | undefined, what: string): string | undefined {
    if (node === undefined) return undefined;
    if (node.type === 'scalar' && typeof node.value === 'string' && node.value !== '') return node.value;
    return this.refuse(node, what, 'text');
  }

  private takePriority(node: Node | undefined): number | undefined {
    if (node === undefined) return undefined;
    const { least, most } = PRIORITIES;
    const value = node.type === 'scalar' ? node.value : undefined;
    if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) return Number(value);
    return this.refuse(node, 'priority', `a whole number from ${least} to ${most}`);
  }

  private takePayload(node: Node | undefined): JsonObject {
    if (node === undefined) return {};
    if (node.type !== 'map') return this.refuse(node, 'payload', 'a map') ?? {};
    const payload = mapToJson(node);
    if (encodeJson(payload).length > LARGEST_PAYLOAD)
      this.scope.report(problems.largePayload(this.scope.span(node), LARGEST_PAYLOAD));
    for (const { key, at, value } of node.entries.values()) this.compare(key, at, value);
    if (this.scope.hasTemplates) this.warnTemplates(node);
    return payload;
  }

  private compare(key: string, at: { start: number; end: number }, value: Node): void {
    const { inputs, declares, span, report } = this.scope;
    if (!Object.hasOwn(inputs, key)) {
      report(problems.payloadKey(span(at), key, declares, Object.keys(inputs)));
      return;
    }
    const [expected, got] = [kindOf(inputs[key]!), kindOf(toJson(value))];
    if (expected !== undefined && got !== undefined && expected !== got)
      report(problems.payloadType(span(value), key, expected, got));
  }

  private warnTemplates(node: MapNode): void {
    eachScalar(node, '', (scalar) => {
      if (typeof scalar.value === 'string' && isTemplate(scalar.value))
        this.scope.report(problems.payloadTemplate(this.scope.span(scalar)));
    });
  }
}

/** Null has no kind: it stands for any value. */
function kindOf(value: Json): string | undefined {
  if (value === null) return undefined;
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'a map';
  return typeof value === 'string' ? 'text' : `a ${typeof value}`;
}

/** The wrong part of a text, if the text appears in the source as it is; else all of it. */
function within(node: ScalarNode, text: string, from: number, to: number): { start: number; end: number } {
  const quote = node.style === 'plain' ? 0 : 1;
  const asWritten = node.style !== 'block' && node.end - node.start === text.length + 2 * quote;
  if (!asWritten) return node;
  const start = node.start + quote;
  return { start: start + from, end: start + Math.min(Math.max(to, from + 1), text.length) };
}
