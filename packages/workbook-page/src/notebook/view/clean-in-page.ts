/** Makes HTML from a cell in the page passive; it is parsed in a document that runs and loads nothing. */
import { isAllowedAttribute, verdictOn } from '@woof/documents/allowed-html';

export function cleanInPage(html: string): string {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  for (const node of [...body.childNodes]) clean(node);
  return body.innerHTML;
}

function clean(node: ChildNode): void {
  if (node.nodeType === Node.TEXT_NODE) return;
  const verdict = node instanceof HTMLElement ? verdictOn(node.localName) : 'drop';
  if (verdict === 'drop') {
    node.remove();
    return;
  }
  const element = node as HTMLElement;
  for (const child of [...element.childNodes]) clean(child);
  if (verdict === 'open') {
    element.replaceWith(...element.childNodes);
    return;
  }
  for (const { name, value } of [...element.attributes])
    if (!isAllowedAttribute(element.localName, name, value)) element.removeAttribute(name);
}
