import { plainText } from '@woof/run-view';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** A question in front of the page until it is answered. Escape means no. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const box = useRef<HTMLDialogElement>(null);
  // In a layout effect, so that keys that are pressed at once go to the dialog.
  useLayoutEffect(() => {
    const before = document.activeElement;
    box.current?.showModal();
    return () => (before as HTMLElement | null)?.focus?.();
  }, []);
  return (
    <dialog ref={box} aria-label={title} onClose={onClose}>
      <h2>{plainText(title)}</h2>
      {children}
    </dialog>
  );
}
