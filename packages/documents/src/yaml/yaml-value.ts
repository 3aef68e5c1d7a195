import type { Diagnostic, Json } from '@woof/net';
import { parseYaml } from './parse.ts';
import { toJson } from './tree.ts';

/** Reads a text that is a single YAML value; returns the value, or the first thing that is wrong with it. */
export function yamlValue(text: string): { value?: Json; problem?: Diagnostic } {
  const { root, diagnostics } = parseYaml(text);
  const problem = diagnostics.find(({ severity }) => severity === 'error');
  if (problem) return { problem };
  return { value: root ? toJson(root) : null };
}
