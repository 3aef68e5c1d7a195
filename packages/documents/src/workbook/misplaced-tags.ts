/**
 * Tags that a browser does not accept as written. The parser reports few errors in the structure of a page; it repairs
 * them as the HTML standard prescribes. So its result is compared with its input: in valid HTML each tag begins or ends
 * exactly one element of its name, and elements are in the tree in the order of the text.
 */
import { html } from 'parse5';
import { allElementsOf, type Element, type HtmlTree, isHtmlElement, type Tag } from './html-tree.ts';

export interface MisplacedTag {
  line: number;
  column: number;
  length: number;
  what: string;
}

/** Elements whose end tag may be omitted. */
const ENDS_BY_ITSELF = new Set(
  'html head body li dt dd p rt rp optgroup option colgroup caption thead tbody tfoot tr td th'.split(' '),
);
/** Elements that exist even without a tag. */
const BEGINS_BY_ITSELF = new Set('html head body tbody colgroup'.split(' '));
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));

export function misplacedTags({ document }: HtmlTree, tags: readonly Tag[], text: string): MisplacedTag[] {
  const elements = [...allElementsOf(document)];
  const begun = new Map<number, Element>();
  const ended = new Set<number>();
  const implied = new Set<string>();
  for (const element of elements) {
    const { startTag, endTag } = element.sourceCodeLocation ?? {};
    if (startTag === undefined) {
      if (BEGINS_BY_ITSELF.has(element.tagName)) implied.add(element.tagName);
      continue;
    }
    if (endTag) ended.add(endTag.startOffset);
    // Of an element that was split in two, the first.
    if (!begun.has(startTag.startOffset)) begun.set(startTag.startOffset, element);
  }
  const found = tags.flatMap((tag): MisplacedTag[] => {
    const isStray = tag.isEnd && !ended.has(tag.startOffset) && !implied.has(tag.name);
    const stray = isStray ? `</${tag.name}> closes no element that is open here` : undefined;
    const what = tag.isEnd ? stray : faultOf(tag, begun.get(tag.startOffset), text);
    const { line, column, name } = tag;
    return what === undefined ? [] : [{ line, column, length: name.length + 1, what }];
  });
  return [...found, ...outOfOrder(elements)];
}

function faultOf({ name }: Tag, element: Element | undefined, text: string): string | undefined {
  if (element === undefined) return `<${name}> is not allowed here, so browsers leave it out`;
  if (element.tagName.toLowerCase() !== name.toLowerCase())
    return `<${name}> is not an HTML element, and browsers read it as <${element.tagName}>`;
  return isClosed(element, text) ? undefined : `<${name}> is not closed before its parent element ends`;
}

function isClosed(element: Element, text: string): boolean {
  const { startTag, endTag } = element.sourceCodeLocation!;
  if (endTag) return true;
  if (element.namespaceURI !== html.NS.HTML) return text[startTag!.endOffset - 2] === '/';
  return (
    VOID.has(element.tagName) || ENDS_BY_ITSELF.has(element.tagName) || isHtmlElement(element, 'plaintext')
  );
}

/** Browsers move elements out of places where they are not allowed: out of a table, for example. */
function outOfOrder(elements: readonly Element[]): MisplacedTag[] {
  const found: MisplacedTag[] = [];
  let next = Number.POSITIVE_INFINITY;
  for (const element of elements.toReversed()) {
    const start = element.sourceCodeLocation?.startTag;
    if (start === undefined) continue;
    if (start.startOffset > next) {
      const { startLine: line, startCol: column } = start;
      const what = `<${element.tagName}> is not allowed inside its parent element, so browsers move it`;
      found.push({ line, column, length: element.tagName.length + 1, what });
    } else next = start.startOffset;
  }
  return found.toReversed();
}
