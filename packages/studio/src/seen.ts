/** Calls back when somebody looks at the page again, or no longer. Returns a function that stops listening. */
export function whenSeen(act: (isSeen: boolean) => void): () => void {
  const changed = () => act(!document.hidden);
  document.addEventListener('visibilitychange', changed);
  return () => document.removeEventListener('visibilitychange', changed);
}
