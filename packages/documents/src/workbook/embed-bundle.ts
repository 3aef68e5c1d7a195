/**
 * Puts a source bundle into any HTML text; an existing one is replaced. Nothing else in the text changes.
 *
 * The place is before the end tag of the body that the parser found, which may not be the first `</body>` of the text.
 * If a script, comment or attribute is open there, it would swallow the tag. Then the tag goes after the doctype, where
 * nothing can be open.
 */
import { type BundleTag, printBundleTag } from './bundle-tag.ts';
import { elementsOf, type HtmlTree, isHtmlElement, parseHtml } from './html-tree.ts';
import { isBundle, workbookOf } from './read-workbook.ts';

export function embedBundle(text: string, tag: BundleTag): string {
  const { text: rest, tree } = withoutBundles(text);
  // `withoutBundles` also removes the line break.
  const printed = `${printBundleTag(tag)}\n`;
  const usual = insert(rest, endOfBody(rest, tree), printed);
  return holds(usual, tag) ? usual : insert(rest, startOfPage(rest, tree), printed);
}

function holds(text: string, tag: BundleTag): boolean {
  const { bundle, bundles } = workbookOf(parseHtml(text));
  return bundles === 1 && bundle?.content === tag.content && bundle.rootName === tag.rootName;
}

/** The cut itself may have created a tag in the remaining text, so it is searched again. */
function withoutBundles(text: string): { text: string; tree: HtmlTree } {
  let rest = text;
  for (let round = 0; round < 10; round++) {
    const tree = parseHtml(rest);
    const places = [...elementsOf(tree.document)]
      .filter(isBundle)
      .map((element) => element.sourceCodeLocation!);
    if (places.length === 0) return { text: rest, tree };
    for (const { startOffset, endTag } of places.reverse()) {
      // A bundle that is never closed extends to the end of the text.
      const after = endTag ? rest.slice(endTag.endOffset) : '';
      rest = rest.slice(0, startOffset) + after.replace(/^\n/, '');
    }
  }
  throw new Error('source bundles are nested in each other; remove them by hand');
}

export function endOfBody(text: string, { document }: HtmlTree): number {
  for (const name of ['body', 'html']) {
    const element = [...elementsOf(document)].find((each) => isHtmlElement(each, name));
    const end = element?.sourceCodeLocation?.endTag?.startOffset;
    if (end !== undefined) return end;
  }
  return text.length;
}

/** After the doctype, where nothing is open. */
export function startOfPage(text: string, { document }: HtmlTree): number {
  const doctype = document.childNodes.find(({ nodeName }) => nodeName === '#documentType');
  return doctype?.sourceCodeLocation?.endOffset ?? (text.startsWith('\uFEFF') ? 1 : 0);
}

function insert(text: string, at: number, more: string): string {
  return text.slice(0, at) + more + text.slice(at);
}
