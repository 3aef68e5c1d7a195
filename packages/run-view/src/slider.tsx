/** Chooses a moment of the run, by event. */
import { useEffect, useState } from 'preact/hooks';
import type { Moment } from './run-source.ts';
import { chosenSeq, seek } from './selection.ts';
import type { ViewProps } from './view-props.ts';
import { lengthOf, loadingText, wordOf } from './words.ts';

const PLAY_STEPS = 200;
const PLAY_MS = 50;

export function Slider({ source, selection, moment, head, seq }: ViewProps) {
  const [isPlaying, setPlaying] = useState(false);
  const go = (to: number) => seek(selection, to, source.head.peek());
  useEffect(() => {
    if (!isPlaying) return;
    const stride = Math.max(1, Math.ceil(source.head.peek().length / PLAY_STEPS));
    const timer = setInterval(() => {
      go(chosenSeq(selection.seq.peek(), source.head.peek()) + stride);
      if (selection.seq.peek() === 'last') setPlaying(false);
    }, PLAY_MS);
    return () => clearInterval(timer);
  }, [isPlaying]);
  const play = () => {
    if (!isPlaying && seq >= head.length) go(0);
    setPlaying(!isPlaying);
  };
  const button = (sign: string, label: string, act: () => void, isOff = false) => (
    <button type="button" aria-label={label} title={label} disabled={isOff} onClick={act}>
      {sign}
    </button>
  );
  const isLive = head.connection !== 'over';
  const isAway = seq < head.length && head.loaded < head.length && moment?.seq !== seq;
  const how = isAway ? loadingText(head) : momentText(moment, head.started_at);
  return (
    <div class="rv-slider" role="toolbar" aria-label="Replay">
      {button('|‹', 'First event', () => go(0))}
      {button('‹', 'One event back', () => go(seq - 1))}
      {button(isPlaying ? '‖' : '▶', isPlaying ? 'Stop' : 'Play', play)}
      {button('›', 'One event forward', () => go(seq + 1))}
      {button(isLive ? 'Live' : '›|', isLive ? 'Live: follow the run' : 'To the end', () => go(head.length))}
      <input
        type="range"
        min={0}
        max={head.length}
        value={seq}
        aria-label="Position in the run, by event"
        aria-valuetext={`event ${seq} of ${head.length}, ${how}`}
        onInput={(event) => go(event.currentTarget.valueAsNumber)}
      />
      <output class="rv-moment">
        <span>
          {seq} / {head.length} · {how}
        </span>
        <b>{isAway ? '' : moment?.event}</b>
      </output>
    </div>
  );
}

const momentText = (moment: Moment | undefined, start: number): string =>
  moment === undefined ? '' : `${wordOf(moment.status)}, +${lengthOf(Math.max(0, moment.at - start))}`;
