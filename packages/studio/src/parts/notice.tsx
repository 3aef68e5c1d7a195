/** Short words on what just happened; read out by screen readers. */
import { signal } from '@preact/signals';
import { sentencesOf } from './problem.tsx';

const STAYS_MS = 8000;
const notices = signal<{ id: number; text: string; isBad: boolean }[]>([]);
let count = 0;

export function say(text: string, isBad = false): void {
  const id = ++count;
  notices.value = [...notices.value, { id, text, isBad }];
  setTimeout(() => dismiss(id), STAYS_MS);
}

export function sayProblem(error: unknown): void {
  say(sentencesOf(error), true);
}

/** Does something that a person asked for, and says how it went. */
export async function act(what: () => Promise<string>): Promise<boolean> {
  try {
    say(await what());
    return true;
  } catch (error) {
    sayProblem(error);
    return false;
  }
}

function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

export function Notices() {
  return (
    <div class="notices" role="status">
      {notices.value.map(({ id, text, isBad }) => (
        <p key={id} class="notice" data-bad={isBad || undefined}>
          {text}{' '}
          <button type="button" class="quiet" aria-label="Dismiss" onClick={() => dismiss(id)}>
            ×
          </button>
        </p>
      ))}
    </div>
  );
}
