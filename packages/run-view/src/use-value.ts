import { useLayoutEffect, useState } from 'preact/hooks';
import type { Readable } from './readable.ts';

/** Draws the component again after each change. */
export function useValue<T>(from: Readable<T>): T {
  const [, setDrawn] = useState(() => from.peek());
  useLayoutEffect(() => from.subscribe((value) => setDrawn(() => value)), [from]);
  return from.peek();
}
