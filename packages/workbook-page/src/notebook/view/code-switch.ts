/** One button that opens or closes the code of all cells. */
export function setUpCodeSwitch(button: HTMLButtonElement): void {
  const sources = [...document.querySelectorAll<HTMLDetailsElement>('details.source')];
  if (sources.length === 0) return;
  const isShown = () => sources.every(({ open }) => open);
  const label = () => {
    button.textContent = isShown() ? 'Hide code' : 'Show code';
  };
  button.addEventListener('click', () => {
    const open = !isShown();
    for (const source of sources) source.open = open;
    label();
  });
  for (const source of sources) source.addEventListener('toggle', label);
  label();
  button.hidden = false;
}
