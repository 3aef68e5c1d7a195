import { signOf, wordOf } from './words.ts';

/** A status by colour, shape and word. */
export function StatusMark({ status, isShort = false }: { status: string; isShort?: boolean }) {
  return (
    <span class="rv-status" data-status={status} title={isShort ? wordOf(status) : undefined}>
      <span aria-hidden="true">{signOf(status)}</span>
      <span class={isShort ? 'rv-unseen' : undefined}> {wordOf(status)}</span>
    </span>
  );
}
