/** Formats values exactly as the `duckdb` tool returns them in JSON, whichever way they arrived. */
const DAYS_OF_400_YEARS = 146_097;
const DAY_MS = 86_400_000;
const ENDLESS_DAYS = 2_147_483_647;
const ENDLESS = 2n ** 63n - 1n;

export function decimalText(value: bigint, scale: number): string {
  if (scale <= 0) return String(value);
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

export function dateText(days: number): string {
  if (Math.abs(days) === ENDLESS_DAYS) return days < 0 ? '-infinity' : 'infinity';
  return calendar(days);
}

/** Every 400 years have equally many days, so a distant date has the month and day of one that `Date` supports. */
function calendar(days: number): string {
  const date = new Date((days % DAYS_OF_400_YEARS) * DAY_MS);
  const year = Math.trunc(days / DAYS_OF_400_YEARS) * 400 + date.getUTCFullYear();
  const shown = year < 0 ? year - 1 : year;
  const month = String(date.getUTCMonth() + 1).padStart(2, '0');
  const day = String(date.getUTCDate()).padStart(2, '0');
  return `${String(Math.abs(shown)).padStart(4, '0')}-${month}-${day}${shown < 0 ? ' (BC)' : ''}`;
}

/** `digits`: of the fraction of a second. */
export function timeText(value: bigint, digits: number): string {
  const second = 10n ** BigInt(digits);
  const seconds = Number(value / second);
  const part = String(value % second)
    .padStart(digits, '0')
    .replace(/0+$/, '');
  const two = (number: number) => String(number).padStart(2, '0');
  const clock = `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return part === '' ? clock : `${clock}.${part}`;
}

/** ISO 8601 if the year has four digits, otherwise as DuckDB prints it. */
export function timestampText(value: bigint, unit: number, isZoned: boolean): string {
  if (unit === 2 && (value === ENDLESS || value === -ENDLESS)) return value < 0n ? '-infinity' : 'infinity';
  const digits = unit === 3 ? 9 : 6;
  const fine = unit < 2 ? value * 10n ** BigInt(6 - 3 * unit) : value;
  const day = 86_400n * 10n ** BigInt(digits);
  const within = ((fine % day) + day) % day;
  const date = calendar(Number((fine - within) / day));
  const time = timeText(within, digits);
  if (/^\d{4}-\d\d-\d\d$/.test(date)) return `${date}T${time}${isZoned ? '+00:00' : ''}`;
  return `${date} ${time}${isZoned ? '+00' : ''}`;
}

export function uuidText(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Printable characters unchanged, others as `\x0A`. */
export function blobText(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(
      /[^\x20-\x7e]|["']/g,
      (byte) => `\\x${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    );
}
