/** A button that asks before it acts. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Answers } from './answers.tsx';
import { Dialog } from './dialog.tsx';

interface ConfirmProps {
  /** The text of the button, and of the button in the question. */
  label: string;
  question: string;
  onConfirm: () => Promise<unknown>;
  quiet?: boolean;
  children?: ComponentChildren;
}

export function Confirm({ label, question, onConfirm, quiet, children }: ConfirmProps) {
  const isAsked = useSignal(false);
  const close = () => {
    isAsked.value = false;
  };
  return (
    <>
      <button
        type="button"
        class={quiet ? 'quiet' : undefined}
        onClick={() => {
          isAsked.value = true;
        }}
      >
        {label}
      </button>
      {isAsked.value && (
        <Dialog title={question} onClose={close}>
          {children}
          <Answers leave="Back" onLeave={close}>
            <button
              type="button"
              class="main"
              onClick={() => {
                close();
                void onConfirm();
              }}
            >
              {label}
            </button>
          </Answers>
        </Dialog>
      )}
    </>
  );
}
