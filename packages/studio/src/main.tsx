import { render } from 'preact';
import { App } from './app.tsx';
import { ProblemBox } from './parts/problem.tsx';
import { startRouter } from './router.ts';
import { lookWhoIsHere } from './session.ts';

const place = document.getElementById('studio')!;

async function begin(): Promise<void> {
  render(<App />, place);
  try {
    await lookWhoIsHere();
  } catch (error) {
    render(<ProblemBox error={error} again={begin} />, place);
  }
}

startRouter();
void begin();
