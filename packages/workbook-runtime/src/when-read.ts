/** Calls back once the document is parsed, before any of its modules runs. */
export function whenRead(page: Document, then: () => void): void {
  if (page.readyState !== 'loading') then();
  else page.addEventListener('readystatechange', then, { once: true });
}

/** Calls back once its modules have run; a module itself cannot tell whether it is the last. */
export function whenRun(page: Document, then: () => void): void {
  let isDone = false;
  const once = () => {
    if (!isDone) then();
    isDone = true;
  };
  if (page.readyState === 'complete') once();
  page.addEventListener('DOMContentLoaded', once);
  page.defaultView?.addEventListener('load', once);
}
