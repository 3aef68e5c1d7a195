import { plainText } from './plain-text.ts';
import type { StepMark } from './run-source.ts';
import { StatusMark } from './status-mark.tsx';
import { countOf } from './words.ts';

/** A step in a list: its status, its name, and how often or how far it ran. */
export function StepRow({ name, mark }: { name: string; mark: StepMark | undefined }) {
  return (
    <>
      <StatusMark status={mark?.status ?? 'pending'} isShort />
      <span class="rv-name">{plainText(name)}</span>
      <span class="rv-count" title={mark?.reused_from && `reused from ${mark.reused_from}`}>
        {mark && countOf(mark)}
      </span>
    </>
  );
}
