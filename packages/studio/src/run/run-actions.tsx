/** The actions on a run that its status and the user's role allow. */
import type { Moment } from '@woof/run-view';
import { Confirm } from '../parts/confirm.tsx';
import { act } from '../parts/notice.tsx';
import { ask, may } from '../session.ts';
import { askForRerun } from './rerun-dialog.tsx';

type Status = Moment['status'];

const isEnded = (status: Status) => /^(succeeded|failed|cancelled)$/.test(status);

export function RunActions({ id, status }: { id: string; status: Status }) {
  const command = (name: 'pause' | 'resume' | 'cancel', said: string) =>
    act(async () => {
      await ask(`executions.${name}`, { params: { id } });
      return said;
    });
  return (
    <div class="actions">
      {status === 'running' && may('executions.pause') && (
        <button type="button" onClick={() => void command('pause', 'Paused')}>
          Pause
        </button>
      )}
      {status === 'paused' && may('executions.resume') && (
        <button type="button" class="main" onClick={() => void command('resume', 'Resumed')}>
          Resume
        </button>
      )}
      {!isEnded(status) && may('executions.cancel') && (
        <Confirm
          label="Cancel run"
          question="Cancel this run?"
          onConfirm={() => command('cancel', 'Cancelled')}
        >
          <p>Running tasks are stopped. A cancelled run cannot continue; you can rerun it.</p>
        </Confirm>
      )}
      {isEnded(status) && may('executions.rerun') && (
        <button type="button" onClick={() => askForRerun(id)}>
          Rerun
        </button>
      )}
      {may('executions.report') && (
        <a class="button" href={`/v1/executions/${encodeURIComponent(id)}/report`} download>
          Report
        </a>
      )}
    </div>
  );
}
