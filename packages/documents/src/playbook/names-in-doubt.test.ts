/** Whatever a single mistake removes from the plan of a valid playbook, lint does not call its names unknown. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { toolSchemas } from '../fixtures/tool-schemas.ts';
import { readDocument } from '../index.ts';
import { parseYaml } from '../yaml/parse.ts';
import type { Node } from '../yaml/tree.ts';

const ROOT = new URL('../../../../', import.meta.url);
const EXAMPLES = new URL('examples/', ROOT);
const ALL_NAMES = new URL('conformance/playbook/valid-names-known-only-at-run/input.yaml', ROOT);
const OF_PLAYBOOKS = new Set(
  `kind spec policy rules when then else do set_ctx set_vars set_iter set_shared args loop in iterator tool next arcs step workload
   workflow workbook keychain executor admit mode max_in_flight`.split(/\s+/),
);
/** Changing such a value changes a name. */
const NAMING = new Set(['step', 'iterator']);

const lint = (text: string) => readDocument(text, { kinds: toolSchemas }).diagnostics;
const isPlaybook = (text: string) => /^kind: Playbook$/m.test(text);
const isOfName = ({ code }: { code: string }) => /-name$/.test(code);

/** The text with one key, or one value, replaced. */
function* mistakes(text: string, node: Node): Generator<string> {
  if (node.type === 'list') for (const item of node.items) yield* mistakes(text, item);
  if (node.type !== 'map') return;
  for (const { key, at, value } of node.entries.values()) {
    yield* mistakes(text, value);
    if (!OF_PLAYBOOKS.has(key)) continue;
    yield `${text.slice(0, at.end)}x${text.slice(at.end)}`;
    const isPlain = value.type === 'scalar' && value.style === 'plain';
    if (isPlain && !NAMING.has(key)) yield `${text.slice(0, value.start)}7${text.slice(value.end)}`;
  }
}

it('of the examples, and of a document with every kind of name', () => {
  const examples = readdirSync(EXAMPLES).filter((name) => name.endsWith('.yaml'));
  const files = [ALL_NAMES, ...examples.map((name) => new URL(name, EXAMPLES))];
  const texts = files.map((file) => readFileSync(file, 'utf8')).filter(isPlaybook);
  let broken = 0;
  for (const text of texts.filter((each) => lint(each).length === 0)) {
    for (const mistaken of mistakes(text, parseYaml(text).root!)) {
      const found = lint(mistaken);
      if (found.every(({ severity }) => severity !== 'error')) continue;
      broken += 1;
      expect(found.filter(isOfName), mistaken).toEqual([]);
    }
  }
  expect(broken).toBeGreaterThan(100);
});
