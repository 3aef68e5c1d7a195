/** Which part of a picture is in sight: a point of the picture is at `point * zoom + offset` on the screen. */
export interface Viewport {
  x: number;
  y: number;
  zoom: number;
}

export interface Size {
  width: number;
  height: number;
}

const LEAST_ZOOM = 0.005;
const MOST_ZOOM = 2;
const MARGIN = 16;

export function fitted(picture: Size, screen: Size): Viewport {
  const wide = (screen.width - 2 * MARGIN) / Math.max(1, picture.width);
  const high = (screen.height - 2 * MARGIN) / Math.max(1, picture.height);
  const zoom = Math.max(LEAST_ZOOM, Math.min(1, wide, high));
  return {
    zoom,
    x: (screen.width - picture.width * zoom) / 2,
    y: (screen.height - picture.height * zoom) / 2,
  };
}

/** What was in the middle stays there when the size of the screen changes. */
export function recentred(view: Viewport, before: Size, after: Size): Viewport {
  return {
    ...view,
    x: view.x + (after.width - before.width) / 2,
    y: view.y + (after.height - before.height) / 2,
  };
}

/** The point under `at` stays where it is. */
export function zoomed(view: Viewport, factor: number, at: { x: number; y: number }): Viewport {
  const zoom = Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, view.zoom * factor));
  const scale = zoom / view.zoom;
  return { zoom, x: at.x - (at.x - view.x) * scale, y: at.y - (at.y - view.y) * scale };
}

/** Moves as little as needed so that this part is in sight. */
export function showing(view: Viewport, part: Size & { x: number; y: number }, screen: Size): Viewport {
  const into = (offset: number, from: number, length: number, room: number) => {
    const start = from * view.zoom + offset;
    const end = start + length * view.zoom;
    if (start < MARGIN) return offset + MARGIN - start;
    return end > room - MARGIN ? offset + room - MARGIN - end : offset;
  };
  return {
    ...view,
    x: into(view.x, part.x, part.width, screen.width),
    y: into(view.y, part.y, part.height, screen.height),
  };
}
