/**
 * A word in a bash script that stands for exactly this text.
 *
 * Control characters are written as escapes: sbatch refuses scripts with carriage returns, and no value adds lines to
 * the script, which keeps it readable. An argument cannot contain zero bytes.
 */
export function quote(text: string): string {
  if (/^[\w./:@%+,=-]+$/.test(text)) return text;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if (!/[\u0000-\u001f\u007f]/.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced.
  return `$'${text.replaceAll(/[\u0000-\u001f\u007f\\']/g, escaped)}'`;
}

function escaped(character: string): string {
  if (character === '\\' || character === "'") return `\\${character}`;
  return `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`;
}
