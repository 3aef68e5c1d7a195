/** Long lists of short entries, laid out as Node does. */
import { LEVELS_IN_LINE, LINE, MOST_ITEMS } from './inspect-limits.ts';

/** Characters that take two columns. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}]/gu;
const widthOf = (text: string) => [...text].length + (text.match(WIDE)?.length ?? 0);

/** Long lists of short entries as a table: about two and a half times as wide as it is high. */
export function inColumns(found: string[], list: ArrayLike<unknown>, indent: number): string[] {
  const cut = list.length > MOST_ITEMS ? found.length - 1 : found.length;
  const widths = found.slice(0, cut).map(widthOf);
  const widest = Math.max(...widths) + 2;
  const total = widths.reduce((sum, width) => sum + width + 2, 0);
  if (widest * 3 + indent >= LINE || !(total / widest > 5 || widest <= 8)) return found;
  const typical = Math.max(widest - 3 - Math.sqrt(widest - total / found.length), 1);
  const columns = Math.min(
    Math.round(Math.sqrt(2.5 * typical * cut) / typical),
    Math.floor((LINE - indent) / widest),
    LEVELS_IN_LINE * 4,
    15,
  );
  if (columns <= 1) return found;
  const room = Array.from(
    { length: columns },
    (_, column) => Math.max(...widths.filter((_width, at) => at % columns === column)) + 2,
  );
  const numbers = found.every((_, at) => typeof list[at] === 'number' || typeof list[at] === 'bigint');
  const rows: string[] = [];
  for (let at = 0; at < cut; at += columns) {
    const row = found.slice(at, Math.min(at + columns, cut));
    rows.push(
      row
        .map((text, column) =>
          padded(text, { isLast: column === row.length - 1, room: room[column]!, numbers }),
        )
        .join(''),
    );
  }
  return cut < found.length ? [...rows, found[cut]!] : rows;
}

function padded(
  text: string,
  { isLast, room, numbers }: { isLast: boolean; room: number; numbers: boolean },
): string {
  const missing = text.length - widthOf(text);
  if (!numbers) return isLast ? text : `${text}, `.padEnd(room + missing);
  return isLast ? text.padStart(room + missing - 2) : `${text}, `.padStart(room + missing);
}
