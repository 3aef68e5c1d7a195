/**
 * A list of any length but 0, in which only visible rows have elements. All rows have the same height.
 *
 * Arrows, page keys, Home and End move in it. With Shift they select several rows, which copying returns as text, even
 * those that are not visible. A list that is scrolled to its end stays there when rows are added, but not when the rows
 * that it lacked up to the end are loaded.
 */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface RowsProps {
  label: string;
  /** The class of the list. A page has one list of each kind. */
  kind: string;
  count: number;
  height: number;
  /** The chosen row; -1: none. */
  current: number;
  onCurrent(row: number): void;
  row(index: number): ComponentChildren;
  attributes?(index: number): Record<string, string | undefined>;
  /** Rows `from` to before `to` as text. */
  copy?(from: number, to: number): Promise<string>;
  /** Whether it stays at its end. */
  isFollowing?: boolean;
  onScroll?(top: number, height: number): void;
  children?: ComponentChildren;
}

const AROUND = 8;
const MOST_COPIED = 20_000;

export function Rows(props: RowsProps) {
  const { kind, count, height, current, row, attributes, copy, isFollowing = false } = props;
  const list = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const wasFollowing = useRef(isFollowing);
  const anchor = useRef(-1);
  const [view, setView] = useState({ top: 0, height: 400 });

  const look = () => {
    const { scrollTop: top, clientHeight } = list.current!;
    atEnd.current = top + clientHeight >= count * height - 2;
    setView((old) => (old.top === top && old.height === clientHeight ? old : { top, height: clientHeight }));
    props.onScroll?.(top, clientHeight);
  };
  const latestLook = useRef(look);
  latestLook.current = look;
  useLayoutEffect(() => {
    const watch = new ResizeObserver(() => latestLook.current());
    watch.observe(list.current!);
    return () => watch.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (wasFollowing.current && isFollowing && atEnd.current) list.current!.scrollTop = count * height;
    wasFollowing.current = isFollowing;
    look();
  }, [count, isFollowing]);
  useLayoutEffect(() => {
    const { scrollTop: top, clientHeight } = list.current!;
    const isInSight = current * height >= top && (current + 1) * height <= top + clientHeight;
    if (current >= 0 && !isInSight) list.current!.scrollTop = (current + 0.5) * height - clientHeight / 2;
  }, [current]);

  const move = (to: number, isExtending: boolean) => {
    if (!isExtending || anchor.current < 0) anchor.current = isExtending ? current : -1;
    props.onCurrent(Math.min(Math.max(0, to), count - 1));
  };
  const onClick = (event: MouseEvent) => {
    const row = (event.target as Element).closest<HTMLElement>('[data-row]');
    if (row !== null) move(Number(row.dataset.row), event.shiftKey && copy !== undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(view.height / height) - 1);
    const to = {
      ArrowUp: current - 1,
      ArrowDown: current + 1,
      PageUp: current - page,
      PageDown: current + page,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (to === undefined || count === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move(to, event.shiftKey && copy !== undefined);
  };
  const [from, to] = [current, anchor.current < 0 ? current : anchor.current].sort((a, b) => a - b) as [
    number,
    number,
  ];
  const text = useRef('');
  useLayoutEffect(() => {
    text.current = '';
    if (current >= 0)
      void copy?.(from, Math.min(to + 1, from + MOST_COPIED)).then((said) => (text.current = said));
  }, [from, to]);
  const onCopy = (event: ClipboardEvent) => {
    if (text.current === '' || !document.getSelection()?.isCollapsed) return;
    event.clipboardData?.setData('text/plain', text.current);
    event.preventDefault();
  };

  const first = Math.max(0, Math.floor(view.top / height) - AROUND);
  const last = Math.min(count, Math.ceil((view.top + view.height) / height) + AROUND);
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i);
  return (
    <div
      ref={list}
      class={`rv-list ${kind}`}
      role="listbox"
      tabIndex={0}
      aria-label={props.label}
      aria-multiselectable={copy !== undefined}
      aria-activedescendant={current >= first && current < last ? `${kind}-${current}` : undefined}
      onScroll={look}
      onClick={onClick}
      onKeyDown={onKeyDown}
      onCopy={onCopy}
    >
      {props.children}
      <div class="rv-rows" role="presentation" style={{ height: `${count * height}px` }}>
        {rows.map((index) => (
          <div
            key={index}
            id={`${kind}-${index}`}
            class="rv-row"
            role="option"
            tabIndex={-1}
            aria-selected={index >= from && index <= to}
            aria-setsize={count}
            aria-posinset={index + 1}
            style={{ top: `${index * height}px`, height: `${height}px` }}
            data-row={index}
            {...attributes?.(index)}
          >
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  );
}
