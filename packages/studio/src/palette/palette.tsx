/**
 * Finds runs, pages and actions by a few letters. The field is there at once, and keeps the keys that are pressed before
 * the choices are loaded, so that none is lost.
 */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Dialog } from '../parts/dialog.tsx';
import { lazy } from '../parts/lazy.tsx';

const Found = lazy(
  async () => (await import('./found.tsx')).Found,
  () => null,
);

/** All other keys belong to the field. */
const CHOOSING = new Set(['ArrowDown', 'ArrowUp', 'Enter']);

export function Palette({ onClose }: { onClose: () => void }) {
  const text = useSignal('');
  const active = useSignal<string | undefined>(undefined);
  const early = useRef<string[]>([]);
  /** Returns whether it did something. */
  const press = useRef((key: string) => {
    if (!CHOOSING.has(key)) return false;
    early.current.push(key);
    return true;
  });
  return (
    <Dialog title="Find" onClose={onClose}>
      <input
        class="find"
        role="combobox"
        aria-expanded="true"
        aria-controls="choices"
        aria-activedescendant={active.value}
        aria-label="Find a run, a page or an action"
        placeholder="Find a run, a page or an action"
        value={text.value}
        onKeyDown={(event) => {
          if (press.current(event.key)) event.preventDefault();
        }}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
      />
      <Found text={text.value} active={active} press={press} early={early} onClose={onClose} />
    </Dialog>
  );
}
