/**
 * Enables a button only after it has been visible for a while, and again after the page becomes visible again, so that
 * a click or key press that was meant for something else has no effect.
 */
const IN_SIGHT_MS = 700;

/** Returns a function that ends this. */
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
