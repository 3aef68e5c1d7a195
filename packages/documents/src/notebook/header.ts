/**
 * The YAML of a notebook's header. Owns: the values with their places, and the defaults of absent values.
 * Does not own: whether the values are valid (`lint-header.ts`).
 *
 * The text is parsed once, when the header is created. Blank lines at its end are not part of it, so that the number of
 * blank lines before the first cell never changes a value.
 */
import type { Diagnostic, Json, JsonObject } from '@woof/net';
import { parseYaml, type YamlText } from '../yaml/parse.ts';
import type { Source, Span } from '../yaml/source.ts';
import { child, isNull, type MapNode, mapToJson, type Node, textOf } from '../yaml/tree.ts';
import { notebookProblems } from './diagnostics.ts';

export interface IoPolicy {
  allow_files: boolean;
  allow_network: boolean;
  allow_shell: boolean;
}

export class Header {
  readonly #yaml: YamlText;
  #data: JsonObject | undefined;

  constructor(
    text: string,
    /** Where the header starts in the text of the notebook. */
    readonly start: number,
    firstLine: number,
  ) {
    this.#yaml = parseYaml(`${text.trimEnd()}\n`, firstLine);
  }

  /** Undefined if the text cannot be read or is not a map. */
  get root(): MapNode | undefined {
    return this.#yaml.root?.type === 'map' ? this.#yaml.root : undefined;
  }

  /** What is wrong with it as YAML, with positions in the notebook. */
  diagnostics(source: Source): Diagnostic[] {
    const end = source.span(source.text.length, source.text.length);
    // The line break at the end may be one that we added.
    const found = this.#yaml.diagnostics.map((each) => (each.line > end.line ? { ...each, ...end } : each));
    const braces = this.#yaml.unquoted.map((at) => notebookProblems.headerBraces(at));
    const { root } = this.#yaml;
    const notMap =
      root && root.type !== 'map' && !isNull(root)
        ? [notebookProblems.headerNotMap(this.spanOf(root, source))]
        : [];
    return [...found, ...braces, ...notMap];
  }

  spanOf(place: { start: number; end: number }, source: Source): Span {
    return source.span(this.start + place.start, this.start + place.end);
  }

  get data(): JsonObject {
    this.#data ??= this.root ? mapToJson(this.root) : {};
    return this.#data;
  }

  node(...path: string[]): Node | undefined {
    let node: Node | undefined = this.root;
    for (const key of path) node = node?.type === 'map' ? child(node, key) : undefined;
    return node;
  }

  get name(): string | undefined {
    return textOf(this.node('name'));
  }

  /** Its path in a catalogue. */
  get path(): string | undefined {
    return textOf(this.node('metadata', 'path'));
  }

  get language(): string | undefined {
    return textOf(this.node('language'));
  }

  get order(): 'linear' | 'graph' {
    return textOf(this.node('execution', 'order')) === 'graph' ? 'graph' : 'linear';
  }

  get cache(): 'content-hash' | 'none' {
    return textOf(this.node('execution', 'cache')) === 'content-hash' ? 'content-hash' : 'none';
  }

  get ioPolicy(): IoPolicy {
    return {
      allow_files: this.#isTrue('allow_files'),
      allow_network: this.#isTrue('allow_network'),
      allow_shell: this.#isTrue('allow_shell'),
    };
  }

  #isTrue(key: keyof IoPolicy): boolean {
    const node = this.node('io_policy', key);
    return node?.type === 'scalar' && node.value === true;
  }

  get parameters(): JsonObject {
    const node = this.node('parameters');
    return node?.type === 'map' ? mapToJson(node) : {};
  }

  get defaults(): { timeout_sec?: number; memory_mb?: number } {
    const timeout = numberOf(this.node('defaults', 'timeout_sec'));
    const memory = numberOf(this.node('defaults', 'memory_mb'));
    return {
      ...(timeout === undefined ? {} : { timeout_sec: timeout }),
      ...(memory === undefined ? {} : { memory_mb: memory }),
    };
  }

  get metadata(): Record<string, Json> {
    const node = this.node('metadata');
    return node?.type === 'map' ? mapToJson(node) : {};
  }
}

function numberOf(node: Node | undefined): number | undefined {
  return node?.type === 'scalar' && typeof node.value === 'number' ? node.value : undefined;
}
