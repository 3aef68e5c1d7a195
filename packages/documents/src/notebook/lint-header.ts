/** What is wrong with the values of a header. Unknown keys are ignored, unless they look like a typo. */

import { didYouMean } from '@woof/expr/nearest';
import type { Diagnostic } from '@woof/net';
import { describe as describeValue } from '../yaml/reading.ts';
import type { Span } from '../yaml/source.ts';
import { child, isNull, type MapNode, type Node, textOf } from '../yaml/tree.ts';
import { notebookProblems as problems } from './diagnostics.ts';
import { headerHint } from './meant-words.ts';
import type { Notebook } from './notebook.ts';
import { CACHES, HEADER_KEYS, LANGUAGE_NAMES, ORDERS } from './vocabulary.ts';

type Check = (node: Node, what: string) => Diagnostic | undefined;

export function lintHeader(notebook: Notebook): Diagnostic[] {
  const { header, source } = notebook;
  const unreadable = header.diagnostics(source);
  if (unreadable.some((each) => each.severity === 'error')) return lintFence(notebook) ?? unreadable;
  const linter = new HeaderLinter((node) => header.spanOf(node, source));
  const top = notebook.magic
    ? source.span(notebook.magic.start, notebook.magic.end)
    : source.span(header.start, header.start);
  return [...unreadable, ...linter.lint(header.root, top)];
}

/** YAML itself would report a reserved character. */
function lintFence({ header, headerText, source }: Notebook): Diagnostic[] | undefined {
  const fence = /^`{3,}[^`\n\r]*/m.exec(headerText);
  if (!fence) return undefined;
  const start = header.start + fence.index;
  return [problems.otherFence(source.span(start, start + fence[0].trimEnd().length))];
}

/** For `'true'`, which is text. */
const unquote = (node: Node) => (/^(true|false)$/.test(textOf(node) ?? '') ? 'remove the quotes' : undefined);

class HeaderLinter {
  readonly #found: Diagnostic[] = [];

  constructor(readonly span: (place: { start: number; end: number }) => Span) {}

  lint(root: MapNode | undefined, top: Span): Diagnostic[] {
    for (const key of ['name', 'language'] as const) {
      if (!child(root, key)) this.#found.push(problems.missingKey(top, key));
    }
    if (!root) return this.#found;
    this.#each(root, {
      name: this.#text,
      language: this.#language,
      env: this.#map,
      parameters: this.#map,
      provenance: this.#map,
      metadata: this.#map,
      tags: this.#tags,
      version: this.#version,
    });
    this.#env(child(root, 'env'));
    this.#inside(root, 'defaults', { timeout_sec: this.#positive, memory_mb: this.#positive });
    this.#inside(root, 'execution', { order: this.#word(ORDERS), cache: this.#word(CACHES) });
    const policy = { allow_files: this.#flag, allow_network: this.#flag, allow_shell: this.#flag };
    this.#inside(root, 'io_policy', policy);
    this.#slips(root);
    return this.#found;
  }

  #each(map: MapNode, checks: Record<string, Check>, prefix = ''): void {
    for (const [key, check] of Object.entries(checks)) {
      const node = child(map, key);
      const problem = node && check(node, prefix + key);
      if (problem) this.#found.push(problem);
    }
  }

  #inside(root: MapNode, key: string, checks: Record<string, Check>): void {
    const node = child(root, key);
    if (node === undefined) return;
    if (node.type !== 'map') {
      this.#found.push(problems.wrongType(this.span(node), key, 'a map', describeValue(node)));
      return;
    }
    this.#each(node, checks, `${key}.`);
    const known = Object.keys(checks);
    for (const entry of node.entries.values()) {
      if (known.includes(entry.key) || entry.key.startsWith('x-')) continue;
      const hint = headerHint(entry.key, known);
      this.#found.push(problems.unknownKey(this.span(entry.at), key, entry.key, hint));
    }
  }

  /** Its other keys are free. */
  #env(env: Node | undefined): void {
    if (env?.type !== 'map') return;
    this.#each(env, { requirements: this.#requirements, container: this.#container }, 'env.');
  }

  #slips(root: MapNode): void {
    for (const { key, at } of root.entries.values()) {
      if (HEADER_KEYS.some((known) => known === key) || key.startsWith('x-')) continue;
      const hint = didYouMean(key, HEADER_KEYS);
      if (hint !== undefined) this.#found.push(problems.unknownKey(this.span(at), 'the header', key, hint));
    }
  }

  readonly #text: Check = (node, what) => {
    if (node.type === 'scalar' && typeof node.value === 'string' && node.value.trim() !== '')
      return undefined;
    const hint =
      node.type === 'scalar' && node.value !== '' ? `put it in quotes: "${node.value}"` : undefined;
    return problems.wrongType(this.span(node), what, 'text', describeValue(node), hint);
  };

  readonly #language: Check = (node, what) => {
    const wrong = this.#text(node, what);
    if (wrong || node.type !== 'scalar') return wrong;
    const word = String(node.value).toLowerCase();
    if (LANGUAGE_NAMES.includes(word) || word.length < 4) return undefined;
    const hint = didYouMean(word, LANGUAGE_NAMES);
    return hint === undefined ? undefined : problems.unknownLanguage(this.span(node), word, hint);
  };

  readonly #map: Check = (node, what) =>
    node.type === 'map' ? undefined : problems.wrongType(this.span(node), what, 'a map', describeValue(node));

  readonly #flag: Check = (node, what) =>
    node.type === 'scalar' && typeof node.value === 'boolean'
      ? undefined
      : problems.wrongType(this.span(node), what, 'true or false', describeValue(node), unquote(node));

  readonly #positive: Check = (node, what) =>
    node.type === 'scalar' && Number.isSafeInteger(node.value) && Number(node.value) > 0
      ? undefined
      : problems.wrongType(this.span(node), what, 'a whole number above 0', describeValue(node));

  readonly #version: Check = (node, what) => {
    if (node.type === 'scalar' && typeof node.value === 'string') return undefined;
    const hint = node.type === 'scalar' ? 'put it in quotes' : undefined;
    return problems.looseType(this.span(node), what, 'text', describeValue(node), hint);
  };

  readonly #tags: Check = (node, what) => {
    if (node.type !== 'list') return problems.looseType(this.span(node), what, 'a list', describeValue(node));
    const odd = node.items.find((item) => item.type !== 'scalar' || typeof item.value !== 'string');
    if (!odd || isNull(odd)) return undefined;
    return problems.looseType(this.span(odd), 'a tag', 'text', describeValue(odd), 'put it in quotes');
  };

  readonly #requirements: Check = (node, what) => {
    const hint = 'write `requirements: ["numpy>=2"]`';
    const odd = node.type === 'list' ? node.items.find((item) => textOf(item) === undefined) : node;
    return odd && problems.wrongType(this.span(odd), what, 'a list of text', describeValue(odd), hint);
  };

  readonly #container: Check = (node, what) => {
    const hint = 'write `container: {image: "python:3.12"}`';
    if (node.type !== 'map')
      return problems.wrongType(this.span(node), what, 'a map with an image', describeValue(node), hint);
    const image = child(node, 'image');
    if (image) return this.#text(image, `${what}.image`);
    return problems.wrongType(this.span(node), what, 'a map with an image', 'a map without one', hint);
  };

  #word(allowed: readonly string[]): Check {
    return (node, what) => {
      if (node.type !== 'scalar' || typeof node.value !== 'string') {
        return problems.wrongType(this.span(node), what, allowed.join(' or '), describeValue(node));
      }
      if (allowed.includes(node.value)) return undefined;
      return problems.notOneOf(this.span(node), what, node.value, allowed);
    };
  }
}
