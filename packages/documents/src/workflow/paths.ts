/** Paths that must stay below a folder, judged by their text; links are checked where the files are. */
export function leaves(path: string): boolean {
  const isAbsolute = /^([/\\]|[A-Za-z]:)/.test(path);
  return isAbsolute || path.split(/[/\\]/).includes('..');
}

const MAX_ID = 100;

/** A stage's id is the name of a folder of its bundle on any system, and an argument of `woof approve`. */
export function isSafeId(id: string): boolean {
  return /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u.test(id) && !id.endsWith('.') && bytesOf(id) <= MAX_ID;
}

export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
