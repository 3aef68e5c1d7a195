/**
 * The input of a step's tasks. Requested only when somebody wants to see it, because the server must render it again.
 */
import { useSignal } from '@preact/signals';
import { lazy } from '../parts/lazy.tsx';

const InputText = lazy(async () => (await import('./input-text.tsx')).InputText);

export function StepInput({ id, step }: { id: string; step: string }) {
  const isOpen = useSignal(false);
  return (
    <details
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>Input</summary>
      {isOpen.value && <InputText id={id} step={step} />}
    </details>
  );
}
