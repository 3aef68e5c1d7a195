/** The root's keychain: which secrets a playbook needs, and from where. */
import { isTemplate } from '@woof/expr';
import { KEYCHAIN_KINDS, KEYCHAIN_WORDS, type KeychainEntry, keychainKind } from '@woof/net';
import type { Span } from '../yaml/source.ts';
import { child, type MapNode, mapToJson, textOf } from '../yaml/tree.ts';
import { problems } from './diagnostics.ts';
import type { Reading } from './reading.ts';
import { checkTemplates } from './templates.ts';

const STYLES = ['basic', 'body'] as const;
const FORMATS = ['text', 'json'] as const;

const ADD_KIND = `add \`kind: secret\`, or another kind: ${KEYCHAIN_WORDS.map((word) => `"${word}"`).join(', ')}`;

export function takeKeychain(
  reading: Reading,
  root: MapNode,
): { entries: KeychainEntry[]; places: Map<string, Span> } {
  const places = new Map<string, Span>();
  const entries: KeychainEntry[] = [];
  for (const item of reading.takeList(child(root, 'keychain'), 'keychain')?.items ?? []) {
    const map = reading.takeMap(item, 'a keychain entry');
    if (!map) continue;
    const name = reading.takeRequiredText(map, 'name', 'the keychain entry');
    const kind = reading.takeRequiredText(map, 'kind', 'the keychain entry', ADD_KIND);
    if (name === undefined || kind === undefined) continue;
    const at = reading.span(child(map, 'name') ?? map);
    const first = places.get(name);
    if (first) reading.report(problems.duplicateName(at, 'keychain entry', name, first.line));
    places.set(name, first ?? at);
    checkTemplates(reading, map, `keychain/${name}`);
    const entry = { ...mapToJson(map), name, kind };
    checkEntry(reading, map, entry);
    entries.push(entry);
  }
  return { entries, places };
}

function checkEntry(reading: Reading, map: MapNode, entry: KeychainEntry): void {
  const kind = keychainKind(entry);
  if (kind === undefined) {
    const said = child(map, 'provider') ?? child(map, 'kind')!;
    reading.report(problems.keychainKind(reading.span(said), entry.name, textOf(said) ?? '', KEYCHAIN_WORDS));
    return;
  }
  const { fields, needs = [] } = KEYCHAIN_KINDS[kind];
  const known = ['name', 'kind', 'desc', 'provider', ...Object.keys(fields)];
  reading.checkKeys(map, `a keychain entry of kind ${entry.kind}`, known);
  reading.takeWord(child(map, 'style'), 'style', STYLES);
  reading.takeWord(child(map, 'format'), 'format', FORMATS);
  for (const field of needs) reading.takeRequiredText(map, field, `the keychain entry "${entry.name}"`);
  for (const [field, { secret }] of Object.entries(fields)) {
    const node = secret && child(map, field);
    if (!node) continue;
    const text = reading.takeText(node, field);
    if (text !== undefined && !isTemplate(text))
      reading.report(problems.plainSecret(reading.span(node), entry.name, field));
  }
}
