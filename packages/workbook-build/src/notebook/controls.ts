/**
 * How the parameters of the header are shown. Their values determine the kind; `metadata.parameters` of the header may
 * add `{label, min, max, step, options}`. With min and max a number is a slider, with options any value is a choice.
 */
import type { Header } from '@woof/documents';
import { encodeJson, isObject, type Json, type JsonObject, plainNumber } from '@woof/net';
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
    const all = options.some((option) => encodeJson(option) === encodeJson(value))
      ? options
      : [value, ...options];
    return { kind: 'select', options: all };
  }
  if (typeof value === 'boolean') return { kind: 'checkbox' };
  if (typeof value === 'string') return { kind: 'text' };
  if (plainNumber(value) === undefined) return { kind: 'json' };
  const limits: Pick<Control, 'min' | 'max' | 'step'> = {};
  for (const [key, limit] of Object.entries({ min, max, step })) {
    const number = plainNumber(limit);
    if (number !== undefined) limits[key as keyof typeof limits] = number;
  }
  return { kind: limits.min !== undefined && limits.max !== undefined ? 'range' : 'number', ...limits };
}
