/**
 * The library's nodes to our tree: aliases shared, merge keys applied, keys made unique text, values made JSON.
 *
 * The recursion is bounded: the parser limits the nesting of the text, and aliases do not recurse.
 */
import type { Diagnostic } from '@woof/net';
import {
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Pair,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { yamlProblems } from './diagnostics.ts';
import { type ExactNumber, exactNumber } from './exact-number.ts';
import { MAX_ALIASED, MAX_DEPTH } from './limits.ts';
import { numberProblem } from './number-problem.ts';
import { describe } from './reading.ts';
import type { Source } from './source.ts';
import { type Entry, extentOf, type ListNode, type MapNode, type Node, type ScalarNode } from './tree.ts';

export function readTree(contents: unknown, source: Source): { root?: Node; diagnostics: Diagnostic[] } {
  const reader = new TreeReader(source);
  const root = reader.read(contents, 0);
  const failed = reader.diagnostics.some((each) => each.severity === 'error');
  return failed ? { diagnostics: reader.diagnostics } : { root, diagnostics: reader.diagnostics };
}

class TreeReader {
  readonly diagnostics: Diagnostic[] = [];
  readonly #anchors = new Map<string, Node>();
  #aliased = 0;

  constructor(readonly source: Source) {}

  read(node: unknown, near: number): Node {
    if (isAlias(node)) return this.#alias(node.source, node.range?.[0] ?? near);
    const value = this.#value(node, near);
    const anchor = isMap(node) || isSeq(node) || isScalar(node) ? node.anchor : undefined;
    // Recorded only now: an alias inside its own anchor would make a cycle.
    if (anchor !== undefined) this.#anchors.set(anchor, value);
    return value;
  }

  #value(node: unknown, near: number): Node {
    if (isMap(node)) return this.#map(node, near);
    if (isSeq(node)) return this.#list(node, near);
    if (isScalar(node)) return this.#scalar(node, near);
    return { type: 'scalar', value: null, style: 'plain', start: near, end: near, size: 1, depth: 1 };
  }

  #alias(name: string, start: number): Node {
    const end = start + name.length + 1;
    const target = this.#anchors.get(name);
    if (target) {
      this.#aliased += target.size;
      if (this.#aliased <= MAX_ALIASED) return target;
      // Reported once: every further alias would repeat it.
      if (this.#aliased !== Number.POSITIVE_INFINITY) {
        this.diagnostics.push(yamlProblems.aliasBomb(this.source.span(start, end), MAX_ALIASED));
      }
      this.#aliased = Number.POSITIVE_INFINITY;
    } else {
      this.diagnostics.push(
        yamlProblems.unknownAlias(this.source.span(start, end), name, this.#anchors.keys()),
      );
    }
    return { type: 'scalar', value: null, style: 'plain', start, end, size: 1, depth: 1 };
  }

  #scalar(node: Scalar, near: number): ScalarNode {
    const start = node.range?.[0] ?? near;
    const end = node.range?.[1] ?? near;
    const { value } = node;
    const place = { start, end, size: sizeOf(value), depth: 1 };
    if (typeof value === 'number') {
      const number = this.#number(node, value, start, end);
      return { type: 'scalar', ...number, style: styleOf(node), ...place };
    }
    const kept = value === null || typeof value === 'string' || typeof value === 'boolean';
    return { type: 'scalar', value: kept ? value : null, style: styleOf(node), ...place };
  }

  #number(node: Scalar, value: number, start: number, end: number): ExactNumber {
    const written = node.source ?? String(value);
    const problem = numberProblem(this.source.span(start, end), written, value);
    if (problem) this.diagnostics.push(problem);
    return exactNumber(written, value);
  }

  #list(node: YAMLSeq, near: number): ListNode {
    const start = node.range?.[0] ?? near;
    const items = node.items.map((item) => this.read(isPair(item) ? null : item, start));
    return { type: 'list', items, start, end: node.range?.[1] ?? start, ...this.#extent(items, start) };
  }

  #map(node: YAMLMap, near: number): MapNode {
    const start = node.range?.[0] ?? near;
    const entries = new Map<string, Entry>();
    const merged: Node[] = [];
    for (const pair of node.items) this.#pair(pair, start, entries, merged);
    for (const from of merged) mergeInto(entries, from);
    const values = [...entries.values()].map((entry) => entry.value);
    return { type: 'map', entries, start, end: node.range?.[1] ?? start, ...this.#extent(values, start) };
  }

  #pair(pair: Pair, near: number, entries: Map<string, Entry>, merged: Node[]): void {
    const at = this.#keyPlace(pair.key, near);
    const span = this.source.span(at.start, at.end);
    const key = this.#key(pair.key, near);
    const value = this.read(pair.value, at.end);
    if (key === undefined) return;
    if (key === '<<' && isScalar(pair.key) && pair.key.type === 'PLAIN') {
      const sources = value.type === 'list' ? value.items : [value];
      const odd = sources.find((each) => each.type !== 'map');
      if (odd) this.diagnostics.push(yamlProblems.badMerge(span, describe(odd)));
      else for (const from of sources) merged.push(from);
      return;
    }
    const first = entries.get(key);
    if (first) {
      this.diagnostics.push(yamlProblems.duplicateKey(span, key, this.source.position(first.at.start)[0]));
    } else {
      entries.set(key, { key, at, value });
    }
  }

  #keyPlace(key: unknown, near: number): { start: number; end: number } {
    const range = isScalar(key) || isMap(key) || isSeq(key) || isAlias(key) ? key.range : undefined;
    return { start: range?.[0] ?? near, end: range?.[1] ?? near };
  }

  #key(key: unknown, near: number): string | undefined {
    const { start, end } = this.#keyPlace(key, near);
    const node = isAlias(key) || isScalar(key) ? this.read(key, near) : undefined;
    if (node?.type !== 'scalar' || node.value === null) {
      this.diagnostics.push(yamlProblems.keyNotScalar(this.source.span(start, end)));
      return undefined;
    }
    if (typeof node.value === 'string') return node.value;
    const written = isScalar(key) && key.source !== undefined ? key.source : String(node.value);
    this.diagnostics.push(yamlProblems.keyNotText(this.source.span(start, end), written));
    return written;
  }

  #extent(values: Node[], start: number): { size: number; depth: number } {
    const extent = extentOf(values);
    if (extent.depth === MAX_DEPTH + 1) {
      this.diagnostics.push(yamlProblems.tooDeep(this.source.span(start, start + 1), MAX_DEPTH));
    }
    return extent;
  }
}

/** Long text counts as more than one value, because an alias repeats it in the plan. */
function sizeOf(value: unknown): number {
  return 1 + (typeof value === 'string' ? value.length >> 6 : 0);
}

/** Keys written beside `<<` win, and of several merged maps the first. */
function mergeInto(entries: Map<string, Entry>, from: Node): void {
  if (from.type !== 'map') return;
  for (const [key, entry] of from.entries) if (!entries.has(key)) entries.set(key, entry);
}

function styleOf(node: Scalar): ScalarNode['style'] {
  if (node.type === 'QUOTE_DOUBLE') return 'double';
  if (node.type === 'QUOTE_SINGLE') return 'single';
  return node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED' ? 'block' : 'plain';
}
