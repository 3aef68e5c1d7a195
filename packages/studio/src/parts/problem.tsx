/** What went wrong, and what to do about it. */
import { Problem } from '@woof/protocol';
import { plainText } from '@woof/run-view';

export function wordsOf(error: unknown): { what: string; todo: string } {
  if (!(error instanceof Problem)) {
    const said = error instanceof Error ? error.message : String(error);
    return {
      what: said,
      todo: 'Check that the server is running, then try again.',
    };
  }
  return { what: error.message, todo: ADVICE[error.code] ?? '' };
}

/** Both in one text. */
export function sentencesOf(error: unknown): string {
  const { what, todo } = wordsOf(error);
  return `${capital(what)}. ${todo}`.trim();
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const ADVICE: Partial<Record<Problem['code'], string>> = {
  'auth/missing': 'Sign in again.',
  'auth/wrong': 'Sign in again with a token that is valid.',
  'auth/role': 'Ask an administrator for a token with that role.',
  'login/insecure': 'Open Studio over HTTPS, or through a tunnel on this machine.',
  'not-found': 'Check the address. It may have been removed, or it belongs to another server.',
  'request/conflict': 'Somebody may have been faster. Reload the page to see how it stands.',
  'request/too-many': 'Wait a moment, then try again.',
  'version/newer':
    'Update Woof on the server. The run is not damaged: a newer version can show and continue it.',
  'store/unavailable': 'The server lost its store. It resumes when the store answers again.',
  'store/full': 'Free some space on the disk of the server; woof gc removes what no run needs.',
  'server/fault': 'See the server log.',
};

export function ProblemBox({ error, again }: { error: unknown; again?: () => Promise<void> }) {
  const { what, todo } = wordsOf(error);
  return (
    <div class="problem" role="alert">
      <p>
        <strong>{plainText(capital(what))}</strong>
      </p>
      {todo && <p>{todo}</p>}
      {again && (
        <button type="button" onClick={() => void again()}>
          Try again
        </button>
      )}
    </div>
  );
}
