/**
 * The page that replays a run: a moment is chosen, and everything on the page shows the run as it stood then.
 *
 * The builder wrote the summary that is readable without a script; this adds what moves.
 */
import { accountOf, isEnded } from '@woof/net';
import { element } from './elements.ts';
import { createEventList } from './event-list.ts';
import { createGraphPicture } from './graph-picture.ts';
import { createReplay } from './replay.ts';
import type { RunData } from './run-data.ts';
import { stepDetails, valueBlock } from './step-details.ts';
import { timelineOf } from './timeline.ts';
import { createTimelinePicture } from './timeline-picture.ts';
import { lengthOf, signOf, wordOf } from './words.ts';

const PLAY_STEPS = 200;
const PLAY_MS = 50;

export function showReport(run: RunData, root: HTMLElement): void {
  const { events, plan } = run;
  const replay = createReplay(run.execution_id, plan, events);
  const times: [number, number] = [events[0]?.at ?? 0, events.at(-1)?.at ?? 0];
  let seq = events.length;
  let selected = firstToShow();

  const graph = createGraphPicture(plan, select);
  const timeline = createTimelinePicture(timelineOf(events), times, (at) => seek(lastBefore(at)));
  const list = createEventList(events, seek);
  const details = element('section', { class: 'details', 'aria-live': 'polite', 'aria-label': 'Step' });
  const whole = element('section', { class: 'whole', 'aria-label': 'Run' });
  const bar = createBar(events.length, { seek, play: togglePlay });

  const section = (title: string, kind: string, ...children: Node[]) =>
    element('section', { class: kind }, element('h2', {}, title), ...children);
  const table = root.querySelector('table.steps');
  root.prepend(
    bar.element,
    element('div', { class: 'columns' }, section('Graph', 'panel wide', graph.element), details),
    section('Timeline', 'panel', timeline.element),
    section('Events', 'panel', list.element),
    whole,
  );
  for (const row of table?.querySelectorAll<HTMLElement>('tr[data-step]') ?? []) {
    row.addEventListener('click', () => select(row.dataset.step!));
  }

  function select(step: string): void {
    selected = step;
    show();
  }

  function seek(wanted: number): void {
    seq = Math.min(Math.max(0, wanted), events.length);
    show();
  }

  /** Events come in order of time; the last one not after it. */
  function lastBefore(at: number): number {
    let low = 0;
    let high = events.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (events[mid]!.at <= at) low = mid + 1;
      else high = mid;
    }
    return low;
  }

  let timer: ReturnType<typeof setInterval> | undefined;
  function togglePlay(): void {
    if (timer !== undefined) {
      stop();
      return;
    }
    if (seq >= events.length) seek(0);
    const stride = Math.max(1, Math.ceil(events.length / PLAY_STEPS));
    timer = setInterval(() => {
      seek(seq + stride);
      if (seq >= events.length) stop();
    }, PLAY_MS);
    bar.playing(true);
  }
  function stop(): void {
    clearInterval(timer);
    timer = undefined;
    bar.playing(false);
  }

  function firstToShow(): string | undefined {
    const state = replay.at(events.length);
    return state.error?.step ?? state.lastDone ?? plan.steps[0]?.name;
  }

  function show(): void {
    const state = replay.at(seq);
    const account = accountOf(state);
    const at = events[Math.max(0, seq - 1)]?.at ?? times[0];
    bar.show(
      seq,
      `${wordOf(seq === 0 ? 'not started' : state.status)}, +${lengthOf(at - times[0])}`,
      events[seq - 1]?.name,
    );
    root.dataset.status = state.status;
    root.dataset.seq = String(seq);
    graph.show(state, account.steps, selected);
    timeline.show(at);
    list.show(seq);
    if (selected !== undefined) {
      details.replaceChildren(...stepDetails(run, state, selected, account.steps[selected]!, at));
    }
    const values = { Workload: state.workload, Context: state.ctx } as const;
    whole.replaceChildren(
      ...(isEnded(state) && state.result !== undefined
        ? valueBlock('Result of the run', state.result, run)
        : []),
      ...Object.entries(values)
        .filter(([, value]) => Object.keys(value).length > 0)
        .flatMap(([title, value]) => valueBlock(title, value, run)),
    );
    for (const row of table?.querySelectorAll<HTMLElement>('tr[data-step]') ?? []) {
      const step = account.steps[row.dataset.step!];
      if (step === undefined) continue;
      row.dataset.status = step.status;
      row.toggleAttribute('data-selected', row.dataset.step === selected);
      row.querySelector('.status')!.textContent = `${signOf(step.status)} ${wordOf(step.status)}`;
      row.querySelector('.runs')!.textContent = String(step.runs);
    }
  }

  show();
}

interface BarActions {
  seek(seq: number): void;
  play(): void;
}

function createBar(length: number, { seek, play }: BarActions) {
  const slider = element('input', {
    type: 'range',
    min: '0',
    max: String(length),
    value: String(length),
    'aria-label': 'Position in the run, by event',
  });
  slider.addEventListener('input', () => seek(slider.valueAsNumber));
  const button = (sign: string, label: string, act: () => void) => {
    const made = element('button', { type: 'button', 'aria-label': label, title: label }, sign);
    made.addEventListener('click', act);
    return made;
  };
  const playButton = button('▶', 'Play', play);
  const said = element('output', { class: 'moment' });
  const bar = element(
    'div',
    { class: 'bar', role: 'group', 'aria-label': 'Replay' },
    button('|‹', 'To the start', () => seek(0)),
    button('‹', 'One event back', () => seek(slider.valueAsNumber - 1)),
    playButton,
    button('›', 'One event forward', () => seek(slider.valueAsNumber + 1)),
    button('›|', 'To the end', () => seek(length)),
    slider,
    said,
  );
  return {
    element: bar,
    playing(isPlaying: boolean) {
      playButton.textContent = isPlaying ? '‖' : '▶';
      playButton.setAttribute('aria-label', isPlaying ? 'Stop' : 'Play');
    },
    show(seq: number, how: string, event: string | undefined) {
      slider.value = String(seq);
      slider.setAttribute('aria-valuetext', `event ${seq} of ${length}, ${how}`);
      said.replaceChildren(`${seq} / ${length} · ${how}`, element('b', {}, event ?? ''));
    },
  };
}
