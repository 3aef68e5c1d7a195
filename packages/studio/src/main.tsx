import { render } from 'preact';
import { App } from './app.tsx';
import { AGAIN_MS } from './load.ts';
import { ProblemBox } from './parts/problem.tsx';
import { startRouter } from './router.ts';
import { isPassing, lookWhoIsHere } from './session.ts';

const place = document.getElementById('studio')!;

let later: ReturnType<typeof setTimeout> | undefined;

/** If the server does not answer, asks again. */
async function begin(): Promise<void> {
  clearTimeout(later);
  try {
    await lookWhoIsHere();
    render(<App />, place);
  } catch (error) {
    render(<NoAnswer error={error} />, place);
    if (isPassing(error)) later = setTimeout(() => void begin(), AGAIN_MS);
  }
}

function NoAnswer({ error }: { error: unknown }) {
  return (
    <main class="alone">
      <div class="login">
        <h1>Woof Studio</h1>
        <ProblemBox error={error} again={begin} />
      </div>
    </main>
  );
}

startRouter();
render(<App />, place);
void begin();
