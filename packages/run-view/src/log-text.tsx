import { logPieces } from './log-pieces.ts';

const LONGEST = 2000;

/** A line that a task wrote: a long one is cut unless it is asked for whole. */
export function LogText({ text, isWhole = false }: { text: string; isWhole?: boolean }) {
  const shown = isWhole ? text : text.slice(0, LONGEST);
  return (
    <bdi>
      {logPieces(shown).map((piece, i) => (
        <span key={i} class={piece.kind || undefined}>
          {piece.text}
        </span>
      ))}
      {shown.length < text.length && '…'}
    </bdi>
  );
}
