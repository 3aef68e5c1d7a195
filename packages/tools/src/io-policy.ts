/** What given code may do: what the document's spec allows, plus what the person at the terminal granted. */
import type { JsonObject } from '@woof/net';
import { booleanField, objectField } from './fields.ts';
import type { IoPolicy, ToolContext } from './tool.ts';

export function effectivePolicy(spec: JsonObject, { granted }: ToolContext): IoPolicy {
  const own = objectField(spec, 'io_policy') ?? {};
  const allows = (key: keyof IoPolicy) => granted[key] || (booleanField(own, key) ?? false);
  return {
    allow_files: allows('allow_files'),
    allow_network: allows('allow_network'),
    allow_shell: allows('allow_shell'),
  };
}
