/**
 * A text area over the highlighted code of a cell: the same letters in the same places, so that nothing moves when it
 * appears. Tab leaves it, as everywhere; Shift+Enter runs the cell.
 */
import { highlight } from '../highlight.ts';

export interface EditorEvents {
  change(code: string): void;
  run(): void;
}

export function editCode(pre: HTMLPreElement, language: string, label: string, events: EditorEvents): void {
  const code = pre.querySelector('code')!;
  const area = document.createElement('textarea');
  area.value = code.textContent;
  area.spellcheck = false;
  area.autocapitalize = 'off';
  area.setAttribute('aria-label', label);
  area.addEventListener('input', () => {
    show(code, area.value, language);
    events.change(area.value);
  });
  area.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.shiftKey || event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    events.run();
  });
  area.addEventListener('scroll', () => {
    pre.scrollLeft = area.scrollLeft;
  });
  pre.removeAttribute('tabindex');
  pre.setAttribute('aria-hidden', 'true');
  const frame = document.createElement('div');
  frame.className = 'editor';
  pre.replaceWith(frame);
  frame.append(pre, area);
}

/** A last empty line has a height only if it contains something. */
function show(code: HTMLElement, text: string, language: string): void {
  code.innerHTML = `${highlight(text, language)}${text.endsWith('\n') || text === '' ? ' ' : ''}`;
}
