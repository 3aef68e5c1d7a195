/** The parameters of the notebook, as the form shows them. */
import {
  decodeFinite,
  encodeJson,
  Float,
  type Json,
  type JsonObject,
  makeFloat,
  plainNumber,
} from '@woof/net';

type Field = HTMLInputElement | HTMLSelectElement;

/** `onChange` receives the name, and all current values. */
export function setUpParameters(
  form: HTMLFormElement,
  parameters: JsonObject,
  onChange: (name: string, values: JsonObject) => void,
): void {
  const values: JsonObject = { ...parameters };
  const fields = [...form.querySelectorAll<Field>('[data-parameter]')];
  const take = (field: Field) => {
    showValue(form, field);
    const name = field.dataset.parameter!;
    const value = readValue(field, parameters[name]!);
    field.setAttribute('aria-invalid', String(value === undefined));
    if (value === undefined || encodeJson(value) === encodeJson(values[name])) return;
    values[name] = value;
    onChange(name, { ...values });
  };
  for (const field of fields) {
    field.disabled = false;
    field.addEventListener(field.type === 'range' ? 'input' : 'change', () => take(field));
  }
  form.addEventListener('submit', (event) => event.preventDefault());
  const reset = form.querySelector('button')!;
  reset.addEventListener('click', () => {
    form.reset();
    for (const field of fields) take(field);
  });
  reset.hidden = false;
}

function showValue(form: HTMLFormElement, field: Field): void {
  const shown = form.querySelector<HTMLOutputElement>(`output[for="${CSS.escape(field.id)}"]`);
  if (shown) shown.value = field.value;
}

/** A value of the type in the header; undefined if the input is invalid. */
function readValue(field: Field, before: Json): Json | undefined {
  if (field instanceof HTMLInputElement && field.type === 'checkbox') return field.checked;
  if (field.dataset.kind === 'json' || field.dataset.kind === 'select') return parsed(field.value);
  return plainNumber(before) === undefined ? field.value : readNumber(field.value.trim(), before);
}

/** A float stays a float: entering 1 in place of 0.5 gives 1.0. */
function readNumber(text: string, before: Json): Json | undefined {
  // `.5` is not JSON.
  const value = parsed(text) ?? (text === '' ? undefined : Number(text));
  const number = plainNumber(value);
  if (number === undefined || Number.isNaN(number)) return undefined;
  const isFloat = before instanceof Float || (typeof before === 'number' && !Number.isInteger(before));
  if (!isFloat && typeof value === 'bigint') return value;
  if (!Number.isFinite(number)) return undefined;
  return isFloat ? makeFloat(number) : value;
}

function parsed(text: string): Json | undefined {
  try {
    return decodeFinite(text);
  } catch {
    return undefined;
  }
}
