/**
 * The workbook as it was before its code changed it, with a state inside. The document is cloned once it is parsed and
 * before modules run; what classic scripts wrote until then is in the copy.
 */
import { HOST_ATTRIBUTE } from './broker.ts';
import { WbError } from './wb-error.ts';
import { whenRead } from './when-read.ts';

const STATE_ID = 'wb-state';
const STATE_TYPE = 'application/x-workbook-state';
const STATE_VERSION = '1';

/** Returns the text of the copy. `state` must not contain `<`. */
export type CopyWith = (state: string) => string;

export function keepOriginal(page: Document): CopyWith {
  let original: Document | undefined;
  whenRead(page, () => {
    original = page.cloneNode(true) as Document;
  });
  return (state) => {
    if (!original) throw new WbError('not-ready', 'The page is still loading; share it when it is complete.');
    return write(original.cloneNode(true) as Document, state);
  };
}

function write(copy: Document, state: string): string {
  for (const element of copy.querySelectorAll(`[${HOST_ATTRIBUTE}], #${STATE_ID}`)) element.remove();
  // With scripting, its content was parsed as text, which a document without scripting would write escaped.
  for (const element of copy.querySelectorAll('noscript')) element.innerHTML = element.textContent ?? '';
  const script = copy.createElement('script');
  script.id = STATE_ID;
  script.type = STATE_TYPE;
  script.dataset.version = STATE_VERSION;
  script.textContent = state;
  (copy.body ?? copy.documentElement).append(script);
  return `<!doctype html>\n${copy.documentElement.outerHTML}\n`;
}

/** The state that this file contains, if it is a copy. */
export function stateInside(page: Document): string | undefined {
  const script = page.getElementById(STATE_ID) as HTMLScriptElement | null;
  if (script?.type !== STATE_TYPE || script.dataset.version !== STATE_VERSION) return undefined;
  return script.textContent ?? undefined;
}
