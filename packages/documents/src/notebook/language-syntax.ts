import type { JsonObject } from '@woof/net';
import type { CellNames } from './cell-names.ts';

/** The contract of a row in `languages.ts`. */
export interface LanguageSyntax {
  /** The names that the code of a cell sets and uses; undefined if it cannot be read. */
  names?(code: string): CellNames | undefined;
  /** Whether `names` is certain enough to say that a name is missing from `deps`. */
  checksDeps?: true;
  /** Whether code can do nothing without starting programs. */
  needsShell?: true;
  /** How code reads a value by its id, if not only as `woof["id"]`. Group `id`; with the flag `g`. */
  woof?: RegExp;
  script?: ScriptSyntax;
  /** The words after `%%` that begin a cell of the language in a Python Jupyter notebook, the most common first. */
  magics?: readonly string[];
  /** Whether Jupyter notebooks of the language run cells of other languages. */
  hasMagics?: true;
  /** The kernel that Jupyter usually has for it. */
  jupyter?: { name: string; display_name: string; extension: string };
}

/** How a script in the percent format replaces what the kernel does. */
export interface ScriptSyntax {
  bindParameters(parameters: JsonObject): string;
  /** `statements` must come before everything else in the script. */
  split(body: string): { statements: string[]; body: string };
}
