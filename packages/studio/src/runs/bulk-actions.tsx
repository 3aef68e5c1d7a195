/** What can be done to all chosen runs at once. */
import type { Signal } from '@preact/signals';
import { Confirm } from '../parts/confirm.tsx';
import { say } from '../parts/notice.tsx';
import { wordsOf } from '../parts/problem.tsx';
import { ask, may } from '../session.ts';

const ACTIONS = [
  {
    call: 'executions.cancel',
    label: 'Cancel runs',
    verb: 'Cancel',
    done: 'cancelled',
    about: 'Running tasks are stopped. Runs that have ended stay as they are.',
  },
  {
    call: 'executions.rerun',
    label: 'Rerun',
    verb: 'Rerun',
    done: 'started',
    about: 'Each starts a new run with the same workload, which reuses the steps that succeeded.',
  },
] as const;

type Action = (typeof ACTIONS)[number];

export function BulkActions({ chosen }: { chosen: Signal<ReadonlySet<string>> }) {
  const count = chosen.value.size;
  const perform = async (action: Action) => {
    say(await performAll(action, [...chosen.value]));
    chosen.value = new Set();
  };
  return (
    <div class="actions">
      <span>{count} selected</span>
      {count === 2 && <a href={compareHref([...chosen.value])}>Compare</a>}
      {ACTIONS.filter(({ call }) => may(call)).map((action) => (
        <Confirm
          key={action.call}
          label={action.label}
          question={`${action.verb} ${runs(count)}?`}
          onConfirm={() => perform(action)}
        >
          <p>{action.about}</p>
        </Confirm>
      ))}
    </div>
  );
}

const runs = (count: number): string => (count === 1 ? '1 run' : `${count} runs`);

/** The older one first: ids begin with the time. */
function compareHref(ids: readonly string[]): string {
  const [a = '', b = ''] = [...ids].sort();
  return `/compare?${new URLSearchParams({ a, b })}`;
}

/** One after the other: one click must not flood a server. */
async function performAll({ call, done }: Action, ids: readonly string[]): Promise<string> {
  let count = 0;
  const refused: string[] = [];
  for (const id of ids) {
    try {
      await ask(call, { params: { id } });
      count += 1;
    } catch (error) {
      refused.push(wordsOf(error).what);
    }
  }
  const [first] = refused;
  const said = `${runs(count)} ${done}`;
  return first === undefined ? said : `${said}, ${refused.length} refused: ${first}`;
}
