/** A state that lasts only a moment is not worth a banner that moves the page. */
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

const LASTING_MS = 1500;

/**
 * Whether the state has lasted. `at`: when it was observed; if undefined, it is something else, which is shown at once.
 */
export function useLasting(at: number | undefined): boolean {
  const since = useRef<number | undefined>(undefined);
  since.current = at === undefined ? undefined : (since.current ?? at);
  const begun = since.current;
  const isLasting = useSignal(false);
  useLayoutEffect(() => {
    isLasting.value = begun === undefined;
    if (begun === undefined) return undefined;
    const left = Math.min(begun + LASTING_MS - Date.now(), LASTING_MS);
    const timer = setTimeout(() => {
      isLasting.value = true;
    }, left);
    if (left <= 0) isLasting.value = true;
    return () => clearTimeout(timer);
  }, [begun]);
  return begun === undefined || isLasting.value;
}
