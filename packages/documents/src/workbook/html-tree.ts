/**
 * HTML as a tree, by parse5, with limits: a text of a few megabytes can require more memory than there is. The content
 * of a `<template>` is not part of the page and is visited only on request.
 */
import {
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  defaultTreeAdapter,
  html,
  Parser,
  type ParserError,
  type Token,
} from 'parse5';

export type Node = DefaultTreeAdapterTypes.Node;
export type Element = DefaultTreeAdapterTypes.Element;

/** Still enough for a page of a hundred thousand table cells. */
const NODE_LIMIT = 250_000;
/**
 * Applies to the text without long runs of base64, which cost the parser nothing; the rest costs it up to fifteen times
 * its size.
 */
const TEXT_LIMIT = 48 * 1024 * 1024;
const LONG_RUN = 256;
const BASE64 = Uint8Array.from({ length: 128 }, (_, code) =>
  /[A-Za-z0-9+/]/.test(String.fromCharCode(code)) ? 1 : 0,
);
/** How many parse errors are kept; more would not help. */
const ERROR_LIMIT = 100;

export interface HtmlTree {
  document: DefaultTreeAdapterTypes.Document;
  errors: ParserError[];
}

/** A tag as it appears in the text, whatever the parser makes of it. */
export interface Tag {
  name: string;
  isEnd: boolean;
  startOffset: number;
  line: number;
  column: number;
}

class TellingParser extends Parser<DefaultTreeAdapterMap> {
  tell: ((tag: Tag) => void) | undefined;

  override onStartTag(token: Token.TagToken): void {
    this.tell?.(tagOf(token, false));
    super.onStartTag(token);
  }

  override onEndTag(token: Token.TagToken): void {
    this.tell?.(tagOf(token, true));
    super.onEndTag(token);
  }
}

function tagOf({ tagName, location }: Token.TagToken, isEnd: boolean): Tag {
  const { startOffset, startLine, startCol } = location!;
  return { name: tagName, isEnd, startOffset, line: startLine, column: startCol };
}

export class PageTooLarge extends Error {}

/** `tell`: called for each tag, in the order of the text. */
export function parseHtml(text: string, tell?: (tag: Tag) => void): HtmlTree {
  if (text.length > TEXT_LIMIT && plainLength(text) > TEXT_LIMIT)
    throw new PageTooLarge(`more than ${TEXT_LIMIT / 1024 / 1024} MiB of text`);
  let nodes = 0;
  const errors: ParserError[] = [];
  const counted = <A extends unknown[], R>(make: (...args: A) => R) => {
    return (...args: A): R => {
      if (++nodes > NODE_LIMIT) throw new PageTooLarge(`more than ${NODE_LIMIT} elements and text nodes`);
      return make(...args);
    };
  };
  const { createElement, createCommentNode, createTextNode } = defaultTreeAdapter;
  const parser = new TellingParser({
    sourceCodeLocationInfo: true,
    treeAdapter: {
      ...defaultTreeAdapter,
      createElement: counted(createElement),
      createCommentNode: counted(createCommentNode),
      createTextNode: counted(createTextNode),
    },
    onParseError: (error) => {
      if (errors.length < ERROR_LIMIT) errors.push(error);
    },
  });
  parser.tell = tell;
  parser.tokenizer.write(text, true);
  return { document: parser.document, errors };
}

/** Counted by hand: the regular expression engine cannot match runs of a hundred megabytes. */
function plainLength(text: string): number {
  let plain = 0;
  let run = 0;
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length && BASE64[text.charCodeAt(at)] === 1) {
      run++;
      continue;
    }
    if (run < LONG_RUN) plain += run;
    if (at < text.length) plain++;
    run = 0;
  }
  return plain;
}

/**
 * In the order of the text. Without recursion, because elements may nest without limit.
 * `entered`: the templates whose content counts.
 */
export function* elementsOf(
  root: DefaultTreeAdapterTypes.ParentNode,
  entered: (template: Element) => boolean = () => false,
): Generator<Element> {
  const stack: Node[] = [...root.childNodes].reverse();
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (!('childNodes' in node)) continue;
    if ('tagName' in node) yield node;
    const inside = 'content' in node && entered(node) ? node.content : node;
    for (let at = inside.childNodes.length - 1; at >= 0; at--) stack.push(inside.childNodes[at]!);
  }
}

/** Including those in templates. */
export const allElementsOf = (root: DefaultTreeAdapterTypes.ParentNode) => elementsOf(root, () => true);

/** A template that a browser makes part of the page without a script. */
export function isShadowRoot(element: Element): boolean {
  return /^(open|closed)$/i.test(attributeOf(element, 'shadowrootmode') ?? '');
}

export function attributeOf(element: Element, name: string): string | undefined {
  return element.attrs.find((attribute) => attribute.name === name)?.value;
}

/** The text of the element itself; scripts and titles contain nothing else. */
export function textOf(element: Element): string {
  return element.childNodes.map((node) => ('value' in node ? node.value : '')).join('');
}

export function isHtmlElement(element: Element, tagName: string): boolean {
  return element.tagName === tagName && element.namespaceURI === html.NS.HTML;
}
