/** What one reading of a workflow collects, and the value checks that only workflows need. */
import { DEFAULT_RULES, type Rules } from '@woof/policy';
import { describe, TreeReading } from '../yaml/reading.ts';
import type { Source, Span } from '../yaml/source.ts';
import { child, type MapNode, type Node, type ScalarNode } from '../yaml/tree.ts';
import { problems } from './diagnostics.ts';

const MAX_EXPANDED = 500_000;

export interface NumberRange {
  least: number;
  most: number;
  whole?: boolean;
}

/** A name that the condition of a stage reads. */
export interface NameRead {
  stage: string;
  name: string;
  at: Span;
}

export class Reading extends TreeReading {
  readonly reads: NameRead[] = [];
  /** Keys of the workload that conditions read. */
  readonly workloadReads: { key: string; at: Span }[] = [];
  /** Whether any text may refer to a matrix; if not, the search is skipped. */
  readonly hasReferences: boolean;

  /** Number of values that matrices have made so far. */
  #expanded = 0;

  constructor(
    source: Source,
    /** What the safety policy forbids. */
    readonly rules: () => Rules = () => DEFAULT_RULES,
  ) {
    super(source, problems);
    this.hasReferences = /\{\{-?\s*matrix\b/.test(source.text);
  }

  /** Whether matrices may make this many more values; if not, it is reported once. */
  affords(values: number, place: { start: number; end: number }): boolean {
    const before = this.#expanded;
    this.#expanded += values;
    if (this.#expanded <= MAX_EXPANDED) return true;
    if (before <= MAX_EXPANDED)
      this.report(problems.tooLarge(this.span(place), 'values in expanded stages', MAX_EXPANDED));
    return false;
  }

  /** A number or a boolean is taken as written: `3.10` stays `3.10`. */
  takeWritten(node: Node, what: string): string | undefined {
    if (node.type !== 'scalar' || node.value === null) return this.refuseType(node, what, 'text');
    const text = this.written(node);
    return text.includes('\0') ? this.refuseType(node, what, 'text without NUL') : text;
  }

  /** A text for people. */
  takeWords(map: MapNode, key: string): string | undefined {
    const node = child(map, key);
    return node && this.takeWritten(node, key);
  }

  written(node: ScalarNode): string {
    if (typeof node.value === 'string') return node.value;
    return this.source.text.slice(node.start, node.end);
  }

  takeTexts(node: Node | undefined, what: string): string[] {
    const items = this.takeList(node, what)?.items ?? [];
    const texts = items.map((item) => this.takeWritten(item, `an item of \`${what}\``));
    return texts.filter((text) => text !== undefined);
  }

  takeTextMap(node: Node | undefined, what: string): Record<string, string> {
    const entries = [...(this.takeMap(node, what)?.entries.values() ?? [])];
    return Object.fromEntries(
      entries.flatMap(({ key, value }) => {
        const text = this.takeWritten(value, `${what}.${key}`);
        return text === undefined ? [] : [[key, text]];
      }),
    );
  }

  takeFlag(map: MapNode, key: string, otherwise: boolean): boolean {
    const node = child(map, key);
    if (node === undefined) return otherwise;
    if (node.type === 'scalar' && typeof node.value === 'boolean') return node.value;
    this.refuseType(node, key, 'true or false');
    return otherwise;
  }

  takeNumber(map: MapNode, key: string, { least, most, whole = false }: NumberRange): number | undefined {
    const node = child(map, key);
    if (node === undefined) return undefined;
    const value = node.type === 'scalar' ? node.value : undefined;
    const fits = typeof value === 'number' && value >= least && value <= most;
    if (fits && (!whole || Number.isInteger(value))) return value;
    const expected = `a ${whole ? 'whole ' : ''}number from ${least} to ${most}`;
    return this.report(problems.badNumber(this.span(node), key, expected, describe(node)));
  }
}
