/**
 * What one reading of a playbook collects, and the checks of shape that every part of it needs.
 *
 * Each `take…` returns the value where it has the right type, else reports and returns undefined, so that one
 * reading finds as many mistakes as it can.
 */
import type { Diagnostic, Position, ToolSchema } from '@woof/net';
import type { Source, Span } from '../yaml/source.ts';
import { child, type ListNode, type MapNode, type Node, type ScalarNode } from '../yaml/tree.ts';
import { problems } from './diagnostics.ts';

/** A path of names that a template reads, e.g. ['keychain', 'api', 'token']. */
export interface TemplateRead {
  path: readonly string[];
  at: Span;
}

/** More than is ever shown; past it no more hints are sought. */
const ENOUGH = 1000;

export class Reading {
  readonly diagnostics: Diagnostic[] = [];
  readonly where = new Map<string, Position>();
  readonly reads: TemplateRead[] = [];
  /** Scalars whose templates are checked: aliases and spec layers lead to the same one several times. */
  readonly checked = new WeakSet<ScalarNode>();
  /** Names of the workbook's tasks. */
  blocks: ReadonlySet<string> = new Set();
  /** Values that tasks have inherited from spec layers so far. */
  inherited = 0;
  readonly kinds: ReadonlyMap<string, ToolSchema>;

  constructor(
    readonly source: Source,
    kinds: readonly ToolSchema[],
  ) {
    this.kinds = new Map(kinds.map((schema) => [schema.kind, schema]));
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
    return this.report(problems.wrongType(this.span(node), what, 'a map', describe(node)));
  }

  takeList(node: Node | undefined, what: string): ListNode | undefined {
    if (node === undefined || node.type === 'list') return node;
    return this.report(problems.wrongType(this.span(node), what, 'a list', describe(node)));
  }

  takeText(node: Node | undefined, what: string): string | undefined {
    if (node === undefined) return undefined;
    if (node.type === 'scalar' && typeof node.value === 'string' && node.value !== '') return node.value;
    const hint = node.type === 'scalar' && node.value !== '' ? `quote it: "${node.value}"` : undefined;
    return this.report(problems.wrongType(this.span(node), what, 'text', describe(node), hint));
  }

  /** A text out of a fixed set. */
  takeWord<Word extends string>(
    node: Node | undefined,
    what: string,
    allowed: readonly Word[],
  ): Word | undefined {
    const text = this.takeText(node, what);
    if (text === undefined || node === undefined) return undefined;
    const word = allowed.find((each) => each === text);
    return word ?? this.report(problems.notOneOf(this.span(node), what, text, allowed));
  }

  takeRequiredText(map: MapNode, key: string, what: string): string | undefined {
    const node = child(map, key);
    if (node === undefined) return this.report(problems.missing(this.keySpan(map), what, key));
    return this.takeText(node, `${key} of ${what}`);
  }

  /** Where to point when something is missing from a map: its first key. */
  keySpan(map: MapNode): Span {
    const first = map.entries.values().next().value;
    return this.span(first && first.at.start >= map.start ? first.at : map);
  }

  warnUnknownKeys(
    map: MapNode,
    what: string,
    known: readonly string[],
    refused: readonly string[] = [],
  ): void {
    for (const { key, at } of map.entries.values()) {
      if (this.diagnostics.length > ENOUGH) return;
      if (known.includes(key) || refused.includes(key)) continue;
      this.report(problems.unknownKey(this.span(at), what, key, known));
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
