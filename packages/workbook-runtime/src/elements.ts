/**
 * `<wb-input name="rate">` binds a control to a state, `<wb-output name="total">` shows a value. Both are set up after
 * the page's modules have run, so that code can define its states first. Other `wb-` elements are left alone.
 */
import type { Persist } from './api.ts';
import { effect } from './reactive.ts';
import type { NamedStates } from './states.ts';

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

export function defineElements(
  page: Window & typeof globalThis,
  states: NamedStates,
  persist: Persist,
): void {
  const define = (name: string, connect: (element: HTMLElement, of: string) => () => void) => {
    if (page.customElements.get(name)) return;
    page.customElements.define(name, connected(page.HTMLElement, connect));
  };
  define('wb-input', (element, name) => {
    const control = element.querySelector<Control>('input, select, textarea') ?? makeControl(element, name);
    const state = states.api<unknown>(name, controlValue(control));
    if (element.hasAttribute('persist')) void persist.bind(state);
    const listen = () => state.set(controlValue(control));
    control.addEventListener('input', listen);
    const stop = effect(() => show(control, state.get()));
    return () => {
      stop();
      control.removeEventListener('input', listen);
    };
  });
  define('wb-output', (element, name) => {
    element.setAttribute('role', 'status');
    return effect(() => {
      try {
        element.textContent = toText(states.find(name)?.readable.get());
      } catch (error) {
        element.textContent = `⚠ ${(error as Error).message}`;
      }
    });
  });
}

function connected(
  Base: typeof HTMLElement,
  connect: (element: HTMLElement, name: string) => () => void,
): CustomElementConstructor {
  return class extends Base {
    #disconnect: (() => void) | undefined;

    connectedCallback() {
      const name = this.getAttribute('name');
      if (name) this.#disconnect ??= connect(this, name);
    }

    disconnectedCallback() {
      this.#disconnect?.();
      this.#disconnect = undefined;
    }
  };
}

const COPIED = ['type', 'value', 'min', 'max', 'step', 'placeholder', 'required'];

function makeControl(element: HTMLElement, name: string): Control {
  const page = element.ownerDocument;
  const control = page.createElement('input');
  for (const attribute of COPIED) {
    const value = element.getAttribute(attribute);
    if (value !== null) control.setAttribute(attribute, value);
  }
  control.checked = element.hasAttribute('checked');
  const label = page.createElement('label');
  label.append(element.getAttribute('label') ?? name, ' ', control);
  element.append(label);
  return control;
}

function controlValue(control: Control): unknown {
  if (control.type === 'checkbox') return (control as HTMLInputElement).checked;
  if (control.type !== 'number' && control.type !== 'range') return control.value;
  return control.value === '' ? Number.NaN : Number(control.value);
}

function show(control: Control, value: unknown): void {
  // Writing the value that is already there would move the cursor.
  if (Object.is(controlValue(control), value)) return;
  if (control.type === 'checkbox') (control as HTMLInputElement).checked = value === true;
  else control.value = Number.isNaN(value) ? '' : String(value ?? '');
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (value instanceof Date && Number.isNaN(value.getTime())) return '';
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof Date)
    return value.toLocaleString();
  return String(value);
}
