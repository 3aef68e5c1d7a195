import { mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { filesOfDocument } from './files-of-document.ts';
import { changedSince, look, nextSave } from './watched-files.ts';

function folder(files: Record<string, string>): (name: string) => string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), 'woof-watch-')));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(made, name), text);
  return (name) => join(made, name);
}

const never = new AbortController().signal;

test('a save is seen: in place, and by a new file of that name', async () => {
  const at = folder({ a: '1', b: '1' });
  const before = look([at('a'), at('b')]);
  writeFileSync(at('b'), '22');
  expect(await nextSave(before, never)).toEqual([at('b')]);
  const then = look([at('a'), at('b')]);
  expect(changedSince(then, look([at('a'), at('b')]))).toEqual([]);
  writeFileSync(at('new'), '1');
  renameSync(at('new'), at('a'));
  expect(await nextSave(then, never)).toEqual([at('a')]);
});

test('a document that is missing for a moment is waited for', async () => {
  const at = folder({ a: '1' });
  const before = look([at('a')]);
  rmSync(at('a'));
  const saved = nextSave(before, never).then(() => look([at('a')]).get(at('a')));
  expect(changedSince(before, look([at('a')]))).toEqual([at('a')]);
  writeFileSync(at('a'), '2');
  expect(await saved).not.toBe('absent');
});

test('the wait ends with its signal', async () => {
  const at = folder({ a: '1' });
  const stop = new AbortController();
  const saved = nextSave(look([at('a')]), stop.signal);
  stop.abort();
  expect(await saved).toEqual([]);
});

const playbook = (steps: string) =>
  `apiVersion: noetl.io/v10\nkind: Playbook\nmetadata: {name: test}\nworkflow:\n${steps}`;

test('scripts and nested playbooks of a document are its files; what a template names is not', () => {
  const at = folder({
    'a.yaml': playbook(
      '  - step: start\n    tool: {kind: playbook, path: b.yaml}\n    next: {arcs: [{step: more}]}\n' +
        '  - step: more\n    tool: {kind: playbook, path: "{{ workload.x }}"}\n',
    ),
    'b.yaml': playbook(
      '  - step: start\n    tool: {kind: python, script: {uri: code.py}}\n    next: {arcs: [{step: back}]}\n' +
        '  - step: back\n    tool: {kind: playbook, path: a.yaml}\n',
    ),
    'broken.yaml': 'a: [\n',
  });
  expect(filesOfDocument(at('a.yaml'), undefined)).toEqual([at('a.yaml'), at('b.yaml'), at('code.py')]);
  expect(filesOfDocument(at('broken.yaml'), undefined)).toEqual([at('broken.yaml')]);
});
