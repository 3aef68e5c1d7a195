import type { ComponentChildren } from 'preact';

/** The two buttons that end a dialog: one cancels, and the one beside it acts. */
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
