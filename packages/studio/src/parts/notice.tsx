/** A short message about what just happened; screen readers read it out. */
import { signal } from '@preact/signals';
import { plainText } from '@woof/run-view';
import { isSignedOut } from '../session.ts';
import { sentencesOf } from './problem.tsx';

const STAYS_MS = 8000;
const notices = signal<{ id: number; text: string; isBad: boolean }[]>([]);
let count = 0;

export function say(text: string, isBad = false): void {
  const id = ++count;
  notices.value = [...notices.value, { id, text, isBad }];
  setTimeout(() => dismiss(id), STAYS_MS);
}

/** The login page itself says that a session has ended. */
export function sayProblem(error: unknown): void {
  if (!isSignedOut(error)) say(sentencesOf(error), true);
}

/** Performs an action of the user, and says how it went. */
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
          {plainText(text)}{' '}
          <button type="button" class="quiet" aria-label="Dismiss" onClick={() => dismiss(id)}>
            ×
          </button>
        </p>
      ))}
    </div>
  );
}
