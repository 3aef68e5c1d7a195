/** The elements of the shell's page, by id. The page is our own, so each of them exists. */
export function byId<E extends HTMLElement = HTMLElement>(id: string): E {
  return document.getElementById(id) as E;
}

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Partial<HTMLElementTagNameMap[K]> = {},
  ...inside: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(tag), props);
  element.append(...inside);
  return element;
}

/** Text of an author, isolated so that its direction does not affect the surrounding text. */
export function foreign(text: string): HTMLElement {
  return make('bdi', { textContent: text });
}

/** Shows one of them on the stage. */
export function stage(shown: 'status' | 'prompt' | 'sign-in' | 'frame', words = ''): void {
  byId('status').textContent = words;
  for (const id of ['prompt', 'sign-in']) byId(id).hidden = id !== shown;
}
