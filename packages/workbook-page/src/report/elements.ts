/** Elements in a few words. Text goes in as text: nothing that a run said is ever read as markup. */
type Child = Node | string | undefined;

export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  return fill(made, attributes, children);
}

export function drawn<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Record<string, string | number> = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  return fill(made, attributes, children);
}

function fill<E extends Element>(
  made: E,
  attributes: Record<string, string | number>,
  children: readonly Child[],
): E {
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children.filter((child) => child !== undefined));
  return made;
}
