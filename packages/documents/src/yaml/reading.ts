/**
 * What one reading of a tree collects, and the shape checks that every part of a document needs.
 *
 * Each `take…` returns the value if it has the right type; otherwise it reports a problem and returns undefined, so
 * that one reading finds as many mistakes as it can. The wording comes from the document's own table of problems.
 */
import type { DeclaredSchedule, Diagnostic, Position } from '@woof/net';
import { subject } from '../problem.ts';
import type { Source, Span } from './source.ts';
import { child, type ListNode, type MapNode, type Node } from './tree.ts';

export interface ShapeProblems {
  wrongType(at: Span, what: string, expected: string, got: string, hint?: string): Diagnostic;
  notOneOf(at: Span, what: string, got: string, allowed: readonly string[]): Diagnostic;
  missing(at: Span, what: string, field: string, hint?: string): Diagnostic;
  unknownKey(at: Span, what: string, key: string, known: readonly string[]): Diagnostic;
}

/** More than is ever shown; beyond it, no more hints are computed. */
const ENOUGH = 1000;

export class TreeReading {
  readonly diagnostics: Diagnostic[] = [];
  readonly where = new Map<string, Position>();
  /** When a server starts the document. */
  schedules: DeclaredSchedule[] = [];

  constructor(
    readonly source: Source,
    private readonly problems: ShapeProblems,
  ) {}

  get hasEnough(): boolean {
    return this.diagnostics.length > ENOUGH;
  }

  report(diagnostic: Diagnostic): undefined {
    this.diagnostics.push(diagnostic);
  }

  span(place: { start: number; end: number }): Span {
    return this.source.span(place.start, place.end);
  }

  position(place: { start: number }): Position {
    return this.source.position(place.start);
  }

  takeMap(node: Node | undefined, what: string): MapNode | undefined {
    if (node === undefined || node.type === 'map') return node;
    return this.refuseType(node, what, 'a map');
  }

  takeList(node: Node | undefined, what: string): ListNode | undefined {
    if (node === undefined || node.type === 'list') return node;
    return this.refuseType(node, what, 'a list');
  }

  takeText(node: Node | undefined, what: string): string | undefined {
    if (node === undefined) return undefined;
    if (node.type === 'scalar' && typeof node.value === 'string' && node.value !== '') return node.value;
    const hint =
      node.type === 'scalar' && node.value !== '' ? `put it in quotes: "${node.value}"` : undefined;
    return this.refuseType(node, what, 'text', hint);
  }

  /** A text from a fixed set. */
  takeWord<Word extends string>(
    node: Node | undefined,
    what: string,
    allowed: readonly Word[],
  ): Word | undefined {
    const text = this.takeText(node, what);
    if (text === undefined || node === undefined) return undefined;
    const word = allowed.find((each) => each === text);
    return word ?? this.report(this.problems.notOneOf(this.span(node), what, text, allowed));
  }

  takeRequiredText(map: MapNode, key: string, what: string, hint?: string): string | undefined {
    const node = child(map, key);
    if (node === undefined) return this.report(this.problems.missing(this.keySpan(map), what, key, hint));
    return this.takeText(node, `\`${key}\` of ${subject(what)}`);
  }

  refuseType(node: Node, what: string, expected: string, hint?: string): undefined {
    return this.report(this.problems.wrongType(this.span(node), what, expected, describe(node), hint));
  }

  /** Where to point if something is missing from a map: its first key. */
  keySpan(map: MapNode): Span {
    const first = map.entries.values().next().value;
    return this.span(first && first.at.start >= map.start ? first.at : map);
  }

  /** Keys that begin with `x-` are the author's own. */
  checkKeys(map: MapNode, what: string, known: readonly string[], refused: readonly string[] = []): void {
    for (const { key, at } of map.entries.values()) {
      if (this.hasEnough) return;
      if (known.includes(key) || refused.includes(key) || key.startsWith('x-')) continue;
      this.report(this.problems.unknownKey(this.span(at), what, key, known));
    }
  }
}

/** What a person would call the value. */
export function describe(node: Node): string {
  if (node.type !== 'scalar') return node.type === 'map' ? 'a map' : 'a list';
  if (node.value === null) return 'nothing';
  if (typeof node.value === 'string') return node.value === '' ? 'empty text' : `"${shorten(node.value)}"`;
  return `${typeof node.value === 'number' ? 'the number' : 'the boolean'} ${node.value}`;
}

function shorten(text: string): string {
  const line = text.split('\n', 1)[0]!;
  return line.length > 40 ? `${line.slice(0, 39)}…` : line;
}
