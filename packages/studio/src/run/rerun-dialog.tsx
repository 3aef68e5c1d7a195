/** The dialog that asks how to rerun a run. Its form is loaded when somebody opens it. */
import { signal } from '@preact/signals';
import type { Plan } from '@woof/net';
import { Dialog } from '../parts/dialog.tsx';
import { draftOf } from '../parts/draft.ts';
import { lazy } from '../parts/lazy.tsx';

/** The id of the run. The dialog stays open during a login. */
const asked = signal<string | undefined>(undefined);

export function askForRerun(id: string, from?: string): void {
  draftOf(`rerun ${id} from`).value = from;
  asked.value = id;
}

export interface RerunProps {
  id: string;
  plan: Plan;
  /** As text; undefined if it is too long to be edited here. */
  workload: string | undefined;
}

const RerunForm = lazy(async () => (await import('./rerun-form.tsx')).RerunForm);

export function RerunDialog(props: RerunProps) {
  if (asked.value !== props.id) return null;
  const close = () => {
    asked.value = undefined;
  };
  return (
    <Dialog title="Rerun" onClose={close}>
      <RerunForm {...props} onClose={close} />
    </Dialog>
  );
}
