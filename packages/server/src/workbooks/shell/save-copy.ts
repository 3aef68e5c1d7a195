/** Offers the user a copy of the workbook as a file. */
import { arm } from './arm.ts';
import { byId, foreign } from './element.ts';
import { size } from './words.ts';

/** Returns whether it was saved. */
export async function saveCopy(name: string, html: string): Promise<boolean> {
  const dialog = byId<HTMLDialogElement>('save');
  if (dialog.open) return false;
  const file = fileName(name);
  const blob = new Blob([html], { type: 'text/html' });
  byId('save-what').replaceChildren(
    'The workbook offers a copy of itself with its current state: “',
    foreign(file),
    `”, ${size(blob.size)}.`,
  );
  if (!(await answerOf(dialog))) return false;
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  return true;
}

function answerOf(dialog: HTMLDialogElement): Promise<boolean> {
  const yes = byId<HTMLButtonElement>('save-yes');
  // The workbook chooses when this appears: a second click meant for the workbook must not confirm it.
  const disarm = arm(yes);
  return new Promise((resolve) => {
    yes.onclick = () => dialog.close('yes');
    byId('save-no').onclick = () => dialog.close('no');
    dialog.returnValue = 'no';
    const end = () => {
      disarm();
      resolve(dialog.returnValue === 'yes');
    };
    dialog.addEventListener('close', end, { once: true });
    dialog.showModal();
    byId('save-no').focus();
  });
}

/** No path, no hidden file, and never an executable. */
function fileName(name: string): string {
  const base = name.replaceAll(/[^\p{L}\p{N} ._-]+/gu, '-').replace(/^[.\s-]+/, '');
  return `${(base.replace(/\.html?$/i, '') || 'workbook').slice(0, 80)}.html`;
}
