/**
 * How a cell refers to something that is not one of its own names: for the linter, and for explaining why a cell
 * failed.
 */
import { languageNamed } from './languages.ts';

/** A variable of a cell in another language. */
export function memberOf(giver: string, name: string, language: string): string {
  const base = isBindableName(giver) ? giver : ofWoof(giver, language);
  return languageNamed(language)?.member(base, name) ?? `${base}.${name}`;
}

/** The expression for an id that cannot be a name. */
export function ofWoof(id: string, language: string): string {
  return languageNamed(language)?.ofWoof(id) ?? `woof["${id}"]`;
}

/** Whether an id can be a name in every language that has names. */
export function isBindableName(id: string): boolean {
  return /^[A-Za-z_]\w*$/.test(id);
}

/** The name that people write for an id that cannot be one: `my_data` for `my-data`. */
export function nameFor(id: string): string {
  return id.replaceAll(/\W/g, '_');
}
