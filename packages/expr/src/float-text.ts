/** Owns: Python's repr of a float: the shortest digits that read back, with an exponent below 1e-4 and from 1e16. */

export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (value === Infinity) return 'inf';
  if (value === -Infinity) return '-inf';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const magnitude = Math.abs(value);
  if (magnitude >= 1e16 || magnitude < 1e-4) return padExponent(value.toExponential());
  const text = String(value);
  return text.includes('.') ? text : `${text}.0`;
}

/** `1e+5` → `1e+05`: Python writes at least two digits. */
export function padExponent(text: string): string {
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}
