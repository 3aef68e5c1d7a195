/**
 * One line at the top of the page that a person can read and dismiss; it covers nothing. Not in print, not in copies.
 */
export interface Hint {
  show(text: string, action?: { label: string; run: () => void }): void;
}

const STYLE = `
:host { display: flex; flex: none; grid-column: 1 / -1; box-sizing: border-box; width: 100%; gap: .75rem; align-items: center;
  justify-content: center; flex-wrap: wrap; padding: .5rem 1rem; font: .875rem/1.4 system-ui, sans-serif;
  background: #1f2937; color: #f9fafb }
button { font: inherit; color: inherit; background: none; border: 1px solid currentColor; border-radius: .25rem;
  padding: .125rem .5rem; cursor: pointer }
@media print { :host { display: none } }`;

export function makeHint(page: Document): Hint {
  let element: HTMLElement | undefined;
  let isDismissed = false;
  const button = (label: string, run: () => void) => {
    const made = page.createElement('button');
    made.textContent = label;
    made.onclick = run;
    return made;
  };
  const dismiss = () => {
    isDismissed = true;
    element?.remove();
  };
  return {
    show(text, action) {
      if (isDismissed || !page.body) return;
      element ??= makeElement(page);
      const line = page.createElement('span');
      line.textContent = text;
      const buttons = [...(action ? [button(action.label, action.run)] : []), button('Close', dismiss)];
      element.shadowRoot!.replaceChildren(line, ...buttons);
      // A live region announces what changes inside it.
      page.body.prepend(element);
    },
  };
}

function makeElement(page: Document): HTMLElement {
  const element = page.createElement('wb-hint');
  element.setAttribute('role', 'status');
  const sheet = new CSSStyleSheet();
  // The page's policy would have to allow a style element.
  sheet.replaceSync(STYLE);
  element.attachShadow({ mode: 'open' }).adoptedStyleSheets = [sheet];
  return element;
}
