/**
 * Restates syntax errors of libraries in plain words and with a fix; a message that is not in the table stays as it is.
 */
export interface SyntaxWords {
  message: string;
  hint?: string;
}

const SAME_COLUMN = 'start all of them in the same column';

const TABLE: readonly (readonly [RegExp, string, string])[] = [
  [
    /^Flow map .*end with a \}$/,
    'the map that starts with "{" is not closed',
    'add "}", and indent every line of the map more than its key',
  ],
  [
    /^Flow sequence .*end with a \]$/,
    'the list that starts with "[" is not closed',
    'add "]", and indent every line of the list more than its key',
  ],
  [
    /^Flow (map|sequence) .*sufficiently indented$/,
    'the closing bracket is indented too little',
    'indent it more than the key of its value',
  ],
  [/^Missing ,( or :)? between flow/, 'expected "," between these items', 'add ","'],
  [/^Unexpected , in flow/, 'expected a value before this ","', 'remove the ",", or add a value'],
  [/^Missing space after : in flow/, 'expected a space after ":"', 'add a space'],
  [
    /^Nested mappings are not allowed in compact mappings$/,
    'this value contains ": ", so YAML reads a second key in it',
    'put the value in quotes, or put the inner map on its own lines',
  ],
  [
    /^Block collections are not allowed within flow collections$/,
    'expected "," or a bracket: inside "{…}" and "[…]" every list and map needs brackets',
    'add the "," between the items, or the brackets of the inner value',
  ],
  [
    /^Unexpected .* at node end$/,
    'the value before this place has already ended',
    'remove what follows it, put all of it in quotes, or correct the indentation',
  ],
  [
    /^Block scalar header includes extra characters/,
    'nothing but a comment can follow "|" or ">" on its line',
    'move the text to the next line and indent it',
  ],
  [
    /^Implicit keys need to be on a single line$/,
    'a key must be on one line',
    'check that the line has the form `key: value`',
  ],
  [
    /^Implicit map keys need to be followed by map values$/,
    'this key has no ":"',
    'write `key: value`, or indent the line if it continues the value above',
  ],
  [
    /^All mapping items must start at the same column$/,
    'this key is not indented like the other keys of its map',
    SAME_COLUMN,
  ],
  [
    /^All sequence items must start at the same column$/,
    'this item is not indented like the other items of its list',
    SAME_COLUMN,
  ],
  [
    /^A block sequence may not be used as an implicit map key$/,
    'a list cannot start between the keys of a map',
    'indent the list below its key',
  ],
  [/^Sequence item without - indicator$/, 'this item of the list has no "-"', 'start it with "- "'],
  [/^Missing closing '/, 'the text in single quotes is not closed', "add ' at its end"],
  [/^Missing closing "/, 'the text in double quotes is not closed', 'add " at its end'],
  [
    /^Comments must be separated/,
    'a comment must have a space before its "#"',
    'add a space, or put the text in quotes if "#" belongs to it',
  ],
];

export function plainSyntax(said: string): SyntaxWords {
  const row = TABLE.find(([words]) => words.test(said));
  if (row) return { message: row[1], hint: row[2] };
  const start = /^Plain value cannot start with (.*)$/.exec(said)?.[1];
  if (start !== undefined)
    return { message: `text without quotes cannot start with ${start}`, hint: 'put it in quotes' };
  const sequence = /^Invalid escape sequence (.*)$/s.exec(said)?.[1];
  if (sequence !== undefined)
    return { message: `double quotes have no escape ${sequence}`, hint: 'write \\\\ for a backslash' };
  return { message: said };
}

/** The message of `JSON.parse` without the text and the position, which a diagnostic shows itself. */
export function plainJsonError(said: string): string {
  const [what] = said.split(/, (?:\.\.\.)?"| at position | \(line |\n| in JSON\b/, 1);
  return `${what!.charAt(0).toLowerCase()}${what!.slice(1)}`;
}
