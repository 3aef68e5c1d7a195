import { inspect } from './inspect.ts';
import { numberText, primitive } from './primitive-text.ts';

/** Formats like `console.log`: `%s` and similar, then the remaining values, separated by spaces. */
export function formatAll(values: readonly unknown[]): string {
  const [first, ...rest] = values;
  if (typeof first !== 'string') return values.map(shown).join(' ');
  if (rest.length === 0) return first;
  const text = first.replaceAll(/%[sdifjoOc%]/g, (sign) => {
    if (sign === '%%') return '%';
    return rest.length === 0 ? sign : fill(sign, rest.shift());
  });
  return [text, ...rest.map(shown)].join(' ');
}

const shown = (value: unknown) => (typeof value === 'string' ? value : inspect(value));

function fill(sign: string, value: unknown): string {
  if (sign === '%c') return '';
  if (sign === '%j') return JSON.stringify(value) ?? 'undefined';
  if (sign === '%o' || sign === '%O') return inspect(value);
  if (sign === '%s')
    return typeof value === 'object' && value !== null ? inspect(value) : primitive(value, false);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'symbol') return 'NaN';
  if (sign === '%d') return typeof value === 'object' ? 'NaN' : numberText(Number(value));
  return numberText(sign === '%i' ? Number.parseInt(String(value), 10) : Number.parseFloat(String(value)));
}
