/**
 * A button that works only after it has been in sight for a while, and again after the page came back into sight: a click
 * or a key that was meant for something else answers nothing.
 */
const IN_SIGHT_MS = 700;

/** Gives the way to end it. */
export function arm(button: HTMLButtonElement): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const again = () => {
    clearTimeout(timer);
    button.disabled = true;
    if (document.visibilityState !== 'visible') return;
    timer = setTimeout(() => {
      button.disabled = false;
    }, IN_SIGHT_MS);
  };
  addEventListener('focus', again);
  document.addEventListener('visibilitychange', again);
  again();
  return () => {
    clearTimeout(timer);
    removeEventListener('focus', again);
    document.removeEventListener('visibilitychange', again);
  };
}
