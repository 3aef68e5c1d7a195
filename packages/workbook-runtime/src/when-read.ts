/** When the document is read to its end, before any module of it runs. */
export function whenRead(page: Document, then: () => void): void {
  if (page.readyState !== 'loading') then();
  else page.addEventListener('readystatechange', then, { once: true });
}

/** When its modules have run; a module itself cannot see whether it is the last. */
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
