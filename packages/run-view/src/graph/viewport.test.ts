import { expect, test } from 'vitest';
import { recentred, showing } from './viewport.ts';

const WIDE = { width: 800, height: 400 };
const NARROW = { width: 400, height: 400 };

test('what was in the middle stays there when the screen gets narrower', () => {
  const view = { x: 100, y: 50, zoom: 2 };
  const middle = (x: number, width: number) => (width / 2 - x) / view.zoom;
  const after = recentred(view, WIDE, NARROW);
  expect(middle(after.x, NARROW.width)).toBe(middle(view.x, WIDE.width));
  expect([after.y, after.zoom]).toEqual([view.y, view.zoom]);
});

test('showing a visible part moves nothing, and a part beyond the edge is moved into view', () => {
  const view = { x: 0, y: 0, zoom: 1 };
  const part = { y: 100, width: 100, height: 40 };
  expect(showing(view, { ...part, x: 100 }, NARROW)).toEqual(view);
  expect(showing(view, { ...part, x: 600 }, NARROW).x).toBe(-316);
});
