import type { ComponentChildren } from 'preact';

/** Content that may be too large for its place scrolls in it, also by keyboard. */
export function ScrollBox({
  label,
  kind,
  children,
}: {
  label: string;
  kind: string;
  children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without the focus, the keyboard could not scroll it
    <section class={kind} tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
