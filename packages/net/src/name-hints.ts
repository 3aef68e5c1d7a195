/** How a cell gets what is not a name of its own: for the linter, and for whoever explains why a cell failed. */

/** A variable of a cell of another language. */
export function memberOf(giver: string, name: string, language: string): string {
  const base = isBindableName(giver) ? giver : ofWoof(giver);
  if (language === 'python') return `${base}["${name}"]`;
  if (language === 'r') return `${base}$${name}`;
  return language === 'bash' ? `\${${base}[${name}]}` : `${base}.${name}`;
}

/** What is bound under an id that cannot be a name. */
export function ofWoof(id: string): string {
  return `woof["${id}"]`;
}

/** Whether an id can be a name in every language that has names. */
export function isBindableName(id: string): boolean {
  return /^[A-Za-z_]\w*$/.test(id);
}
