import type { ComponentChildren } from 'preact';

/** The two buttons that end a dialog: the one that leaves it, and beside it the one that acts. */
export function Answers({
  leave = 'Cancel',
  onLeave,
  children,
}: {
  leave?: string;
  onLeave: () => void;
  children: ComponentChildren;
}) {
  return (
    <div class="answers">
      <button type="button" onClick={onLeave}>
        {leave}
      </button>
      {children}
    </div>
  );
}
