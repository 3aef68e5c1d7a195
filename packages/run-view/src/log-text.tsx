import { logPieces } from './log-pieces.ts';

const LONGEST = 2000;

/** A line of task output. A long one is cut unless the whole line is requested. */
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
