/** What one reading of a playbook collects besides its diagnostics. */
import type { Read } from '@woof/expr';
import type { JsonObject, ResultStoreSchema, ToolSchema } from '@woof/net';
import { TreeReading } from '../yaml/reading.ts';
import { contentOffset, lineOffsets } from '../yaml/scalar-source.ts';
import type { Source, Span } from '../yaml/source.ts';
import type { ScalarNode } from '../yaml/tree.ts';
import { problems } from './diagnostics.ts';

/** A path of names that a template reads, e.g. ['keychain', 'api', 'token']. */
export interface TemplateRead {
  path: readonly string[];
  at: Span;
}

export class Reading extends TreeReading {
  readonly reads: TemplateRead[] = [];
  /** By their path in the plan. */
  readonly templates = new Map<string, ScalarNode>();
  /**
   * By path in the plan: code whose line n is not line `where + n - 1` of the file, with the line of each of its lines.
   */
  readonly codeLines = new Map<string, number[]>();
  /** The names that each template reads, as written. */
  readonly needs = new WeakMap<ScalarNode, readonly Read[]>();
  /** Scalars whose templates are already checked: aliases and spec layers lead to the same scalar several times. */
  readonly checked = new WeakSet<ScalarNode>();
  /** Names of the workbook's tasks. */
  blocks: ReadonlySet<string> = new Set();
  /** Names of the keychain's entries: tools take one by its name in `auth` and `credential`. */
  secrets: ReadonlySet<string> = new Set();
  /** The workload's values from the document itself. */
  workload: JsonObject = {};
  /** Values that tasks have inherited from spec layers so far. */
  inherited = 0;
  readonly kinds: ReadonlyMap<string, ToolSchema>;

  constructor(
    source: Source,
    kinds: readonly ToolSchema[],
    readonly resultStores?: Readonly<Record<string, ResultStoreSchema>>,
  ) {
    super(source, problems);
    this.kinds = new Map(kinds.map((schema) => [schema.kind, schema]));
  }

  /**
   * Records the position of a template's first visible character: after the quote or the block's header, so that line n
   * of the template is line `where + n - 1` of the file for all but folded scalars.
   */
  placeTemplate(path: string, node: ScalarNode): void {
    this.templates.set(path, node);
    this.where.set(path, this.source.position(contentOffset(node, this.source.text)));
  }

  /** Records where code begins, and the position of each of its lines if they cannot be derived from that. */
  placeCode(path: string, node: ScalarNode): void {
    const lines = lineOffsets(node, this.source.text).map((offset) => this.source.position(offset)[0]);
    const first = this.source.position(contentOffset(node, this.source.text));
    this.where.set(path, first);
    const isBlank = String(node.value)
      .split('\n')
      .map((line) => line.trim() === '');
    if (lines.some((line, i) => !isBlank[i] && line !== first[0] + i)) this.codeLines.set(path, lines);
  }
}
