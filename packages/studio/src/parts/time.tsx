/** Times in everyday words, with the exact time available. */
import { signal } from '@preact/signals';
import { lengthOf } from '@woof/run-view';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, SECOND);

/** `at` as seen from `from`: "3 min ago", "in 2 h". */
export function ago(at: number, from: number): string {
  const away = Math.abs(from - at);
  if (away < 5 * SECOND) return 'just now';
  const said = roughly(away);
  return at > from ? `in ${said}` : `${said} ago`;
}

function roughly(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} d`;
}

export const exact = (at: number): string =>
  new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

export function Time({ at }: { at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={exact(at)}>
      {ago(at, now.value)}
    </time>
  );
}

/** How long something took, or has taken so far. */
export function Length({ from, to }: { from: number; to: number | undefined }) {
  return <span class="length">{lengthOf((to ?? Math.max(from, now.value)) - from)}</span>;
}
