/**
 * The input of a step's tasks. Requested only when somebody wants to see it, because the server must render it again.
 */
import { useSignal } from '@preact/signals';
import type { RunSource } from '@woof/run-view';
import { lazy } from '../parts/lazy.tsx';

const InputText = lazy(async () => (await import('./input-text.tsx')).InputText);

export function StepInput({ source, step }: { source: RunSource; step: string }) {
  const isOpen = useSignal(false);
  return (
    <details
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>Input</summary>
      {isOpen.value && <InputText source={source} step={step} />}
    </details>
  );
}
