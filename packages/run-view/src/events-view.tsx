/** The log of the run, event by event. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { plainText } from './plain-text.ts';
import { Rows } from './rows.tsx';
import type { EventRow } from './run-source.ts';
import { seek } from './selection.ts';
import type { ViewProps } from './view-props.ts';
import { lengthOf } from './words.ts';

const PAGE = 200;
const MOST_PAGES = 40;
const BAD = /failed|expired|cancelled|rejected/;

export function EventsView({ source, selection, head, seq }: ViewProps) {
  const pages = useRef(new Map<number, EventRow[]>());
  const asked = useRef(new Set<number>());
  const [, setDrawn] = useState(0);
  // Pages that were not full, or not loaded, are requested again when there is more.
  useLayoutEffect(() => asked.current.clear(), [head.length, head.loaded, source]);
  const load = async (page: number) => {
    if (asked.current.has(page)) return;
    asked.current.add(page);
    const rows = await source.events(page * PAGE + 1, (page + 1) * PAGE + 1).catch(() => []);
    pages.current.set(page, rows);
    const [oldest] = pages.current.keys();
    if (pages.current.size > MOST_PAGES && oldest !== undefined) {
      pages.current.delete(oldest);
      asked.current.delete(oldest);
    }
    setDrawn((count) => count + 1);
  };
  const rowOf = (index: number): EventRow | undefined => {
    const page = Math.floor(index / PAGE);
    const row = pages.current.get(page)?.find((each) => each.seq === index + 1);
    if (row === undefined || !asked.current.has(page)) void load(page);
    return row;
  };
  const copy = async (from: number, to: number) => {
    const rows = await source.events(from + 1, to + 1);
    return rows
      .map((row) => [row.seq, new Date(row.at).toISOString(), row.name, row.where, row.said].join('\t'))
      .join('\n');
  };
  return (
    <Rows
      label="Events"
      kind="rv-events"
      count={head.length}
      height={24}
      current={seq - 1}
      onCurrent={(row) => {
        seek(selection, row + 1, head);
        const step = rowOf(row)?.step;
        if (step !== undefined) selection.step.value = step;
      }}
      attributes={(i) => ({
        'data-later': i >= seq ? '' : undefined,
        'data-bad': BAD.test(pages.current.get(Math.floor(i / PAGE))?.[i % PAGE]?.name ?? '')
          ? ''
          : undefined,
      })}
      row={(i) => <EventCells seq={i + 1} row={rowOf(i)} start={head.started_at} />}
      copy={copy}
      isFollowing={selection.seq.peek() === 'last'}
    />
  );
}

function EventCells({ seq, row, start }: { seq: number; row: EventRow | undefined; start: number }) {
  return (
    <>
      <span class="rv-seq">{seq}</span>
      <span class="rv-at" title={row && new Date(row.at).toISOString()}>
        {row ? `+${lengthOf(row.at - start)}` : ''}
      </span>
      <span class="rv-what">{row?.name ?? '…'}</span>
      <span class="rv-where">{plainText(row?.where ?? '')}</span>
      <span class="rv-said">{plainText(row?.said ?? '')}</span>
    </>
  );
}
