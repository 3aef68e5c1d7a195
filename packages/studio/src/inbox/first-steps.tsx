/** What a user sees on an empty server: three documents that run with one click. */
import { useSignal } from '@preact/signals';
import { sayProblem } from '../parts/notice.tsx';
import { go } from '../router.ts';
import { runAddress } from '../run-address.ts';
import { ask, may } from '../session.ts';
import approval from './first-steps/approval.yaml';
import prices from './first-steps/prices.woofnb';
import shop from './first-steps/shop.yaml';

const STEPS = [
  {
    file: 'shop.yaml',
    text: shop,
    title: 'A playbook',
    about: 'Steps with guards, a loop with five iterations, and a step that needs both branches.',
  },
  {
    file: 'approval.yaml',
    text: approval,
    title: 'A playbook with an approval',
    about: 'It waits at a gate until you approve it here.',
  },
  {
    file: 'prices.woofnb',
    text: prices,
    title: 'A notebook',
    about: 'Python cells in a sandbox, which run in dependency order.',
  },
];

export function FirstSteps() {
  return (
    <>
      <h1>Welcome to Woof</h1>
      <p>Nothing has run on this server yet. Start with one of these, and watch it run.</p>
      <Examples />
      <p class="soft">
        To run your own: <code>woof submit FILE</code>. The <a href="/docs">documentation</a> begins with a
        tutorial.
      </p>
    </>
  );
}

export function Examples() {
  const busy = useSignal('');
  const run = async (file: string, text: string) => {
    busy.value = file;
    try {
      const { execution_id: id } = await ask('executions.start', { body: { file, text } });
      go(runAddress(id));
    } catch (error) {
      sayProblem(error);
    }
    busy.value = '';
  };
  return (
    <ul class="cards">
      {STEPS.map(({ file, text, title, about }) => (
        <li key={file} class="card">
          <h2>{title}</h2>
          <p>{about}</p>
          <details>
            <summary>{file}</summary>
            <pre>{text}</pre>
          </details>
          {may('executions.start') && (
            <button
              type="button"
              class="main"
              disabled={busy.value !== ''}
              onClick={() => void run(file, text)}
            >
              Run {file}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
