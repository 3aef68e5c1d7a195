import { decodeFinite, type Json } from '@woof/net';
import { yamlValue } from '../../yaml/yaml-value.ts';

/** The value of a data cell: JSON, else YAML; undefined if it is neither. */
export function dataValue(body: string): Json | undefined {
  const value = jsonValue(body);
  return value === undefined ? yamlValue(body).value : value;
}

export const isJson = (body: string): boolean => jsonValue(body) !== undefined;

function jsonValue(body: string): Json | undefined {
  try {
    return decodeFinite(body);
  } catch {
    return undefined;
  }
}
