import { expect, test } from 'vitest';
import { compilerOf } from './compile-text.ts';

test('a document is compiled with the tool kinds and result stores of this program', () => {
  const { diagnostics } = compilerOf()(`apiVersion: noetl.io/v10
kind: Playbook
metadata: {name: stores}
executor: {spec: {result: {store: ftp}}}
workflow:
  - step: start
    tool: {kind: htp}
`);
  expect(diagnostics.map(({ code }) => code)).toEqual(['playbook/wrong-type', 'playbook/unknown-kind']);
});
