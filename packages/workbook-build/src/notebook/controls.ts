/**
 * How the parameters of the header are shown. Their values say the kind; `metadata.parameters` of the header may say
 * more: `{label, min, max, step, options}`. With min and max a number is a slider, with options any value is a choice.
 */
import type { Header } from '@woof/documents';
import { isObject, type Json, type JsonObject } from '@woof/net';
import type { Control } from '@woof/workbook-page';

export function controlsOf(header: Header): Control[] {
  const hints = isObject(header.metadata.parameters) ? header.metadata.parameters : {};
  return Object.entries(header.parameters).map(([name, value]) => {
    const hint = isObject(hints[name]) ? hints[name] : {};
    return {
      name,
      label: typeof hint.label === 'string' ? hint.label : readable(name),
      value,
      ...kindOf(value, hint),
    };
  });
}

const readable = (name: string) => name.replaceAll(/[_-]+/g, ' ');

function kindOf(value: Json, hint: JsonObject): Pick<Control, 'kind' | 'min' | 'max' | 'step' | 'options'> {
  const { min, max, step, options } = hint;
  if (Array.isArray(options) && options.length > 0) {
    const all = options.some((option) => JSON.stringify(option) === JSON.stringify(value))
      ? options
      : [value, ...options];
    return { kind: 'select', options: all };
  }
  if (typeof value === 'boolean') return { kind: 'checkbox' };
  if (typeof value === 'string') return { kind: 'text' };
  if (typeof value !== 'number') return { kind: 'json' };
  const limits = {
    ...(typeof min === 'number' ? { min } : {}),
    ...(typeof max === 'number' ? { max } : {}),
    ...(typeof step === 'number' ? { step } : {}),
  };
  return { kind: typeof min === 'number' && typeof max === 'number' ? 'range' : 'number', ...limits };
}
