/**
 * The page of each kind matches its schema and manual (`npm run docs` writes it), its example has no mistake, and gives
 * the result shown: all of them run as steps of one playbook.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readDocument } from '@woof/documents';
import type { ErrorKind } from '@woof/net';
import { findProgram, probeSandbox, sandboxRefusal } from '@woof/sandbox';
import { itUnless } from '@woof/testkit';
import { manualOf, type ToolManual, toolSchemas } from '@woof/tools';
import { kindTable, toolPage } from '@woof/tools/tool-page';
import { expect, onTestFinished, test } from 'vitest';
import { type Account, lastJson, root, runWoof, temporaryFolder } from '../cli/woof.ts';

const toolManuals: Record<string, ToolManual | undefined> = Object.fromEntries(
  await Promise.all(toolSchemas.map(async ({ kind }) => [kind, await manualOf(kind)])),
);
const probe = await probeSandbox();
const noSandbox = probe.available ? undefined : sandboxRefusal(probe);
const writes = process.env.WOOF_WRITE_DOCS !== undefined;
const folder = join(root, 'docs', 'tools');
const index = join(root, 'docs', 'tools.md');
const noteOf = (kind: string) =>
  `<!-- Written by \`npm run docs\`, from packages/tools/src/${kind}/${kind}-schema.ts and ${kind}-manual.ts. -->`;

test('every kind has a manual', () => {
  expect(toolSchemas.flatMap(({ kind }) => (toolManuals[kind] ? [] : [kind]))).toEqual([]);
});

test.each(toolSchemas)('the page of $kind is current: else run `npm run docs`', (schema) => {
  const file = join(folder, `${schema.kind}.md`);
  const page = `${toolPage(schema, toolManuals[schema.kind])}\n${noteOf(schema.kind)}\n`;
  if (writes) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, page);
  }
  expect(existsSync(file) && readFileSync(file, 'utf8')).toBe(page);
});

test('the index lists the kinds, and no other kind has a page', () => {
  const kinds = toolSchemas.map(({ kind }) => `${kind}.md`).sort();
  if (writes) {
    for (const name of readdirSync(folder)) if (!kinds.includes(name)) rmSync(join(folder, name));
  }
  expect(readdirSync(folder).sort()).toEqual(kinds);
  const text = readFileSync(index, 'utf8');
  const current = text.replace(/(<!-- The table .*? -->\n)[\s\S]*?(<!-- end -->)/, (_, from, to) => {
    return `${from}\n${kindTable(toolSchemas)}\n\n${to}`;
  });
  if (writes) writeFileSync(index, current);
  expect(readFileSync(index, 'utf8')).toBe(current);
});

test('every kind of error that a tool names is on its page, or on the index', () => {
  const everywhere = [...readFileSync(index, 'utf8').matchAll(/^\| `(\w+)` \|/gm)].map(([, kind]) => kind);
  const missing = toolSchemas.flatMap(({ kind }) => {
    const known = [...toolManuals[kind]!.errors.flatMap(({ kinds }) => kinds), ...everywhere];
    return namedIn(join(root, 'packages', 'tools', 'src', kind))
      .filter((error) => !known.includes(error))
      .map((error) => `${kind}: ${error}`);
  });
  expect(missing).toEqual([]);
});

/** Kinds of errors that the code of a folder makes. */
function namedIn(code: string): ErrorKind[] {
  const files = readdirSync(code).filter((name) => /(?<!test|manual|schema)\.ts$/.test(name));
  const text = files.map((name) => readFileSync(join(code, name), 'utf8')).join('\n');
  return [...text.matchAll(/\bfailure\(\s*'(\w+)'/g)].map(([, kind]) => kind as ErrorKind);
}

test.each(toolSchemas)('the example of $kind has no mistake', ({ kind }) => {
  const { diagnostics } = readDocument(around([{ kind, ...toolManuals[kind]! }]), { kinds: toolSchemas });
  expect(diagnostics).toEqual([]);
});

itUnless(noSandbox)('examples give what their pages show', async () => {
  const shown = toolSchemas.flatMap(({ kind }) => {
    const { example, gives } = toolManuals[kind]!;
    const isMissing = kind === 'r' && findProgram('Rscript') === undefined;
    return gives === undefined || isMissing ? [] : [{ kind, example, gives }];
  });
  const api = await startService();
  const workload = Object.assign({ api, models: api }, ...shown.map(({ gives }) => gives.workload ?? {}));
  const file = 'examples.yaml';
  const cwd = temporaryFolder({ [file]: around(shown) });
  const sets = Object.entries(workload).flatMap(([key, value]) => [
    '--set',
    `${key}=${JSON.stringify(value)}`,
  ]);
  const ran = await runWoof(['run', file, '--json', ...sets], { cwd });
  const { steps } = lastJson<Account>(ran);
  for (const { kind, gives } of shown) {
    const { status, result } = steps[kind]!;
    expect(status, kind).toBe('succeeded');
    if (gives.partly) expect(result, kind).toMatchObject(gives.result as object);
    else expect(result, kind).toEqual(gives.result);
  }
});

function around(examples: readonly { kind: string; example: string }[]): string {
  const steps = examples.map(({ kind, example }, at) => {
    const next = examples[at + 1]?.kind;
    const arcs = next === undefined ? '' : `    next: {arcs: [{step: ${next}}]}\n`;
    return `  - step: ${kind}\n    tool:\n${example.replaceAll(/^(?=.)/gm, '      ')}${arcs}`;
  });
  return `apiVersion: noetl.io/v10
kind: Playbook
metadata: {name: examples}
executor: {spec: {entry_step: ${examples[0]!.kind}}}
workbook: {price: {kind: noop, result: "{{ args.amount * (1 + args.tax) }}"}}
workflow:
${steps.join('')}`;
}

/** Answers like the services that the examples mention. */
async function startService(): Promise<string> {
  const server = createServer((request, response) => {
    const path = new URL(request.url!, 'http://x').pathname;
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(ANSWERS[path] ?? { asked: request.url }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const ANSWERS: Record<string, unknown> = {
  '/orders': { orders: [{ id: 7 }] },
  '/graphql': { data: { user: { name: 'Ada' } } },
  '/chat/completions': {
    model: 'small',
    choices: [{ message: { role: 'assistant', content: 'All is well.' }, finish_reason: 'stop' }],
  },
};
