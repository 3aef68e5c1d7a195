// biome-ignore-all lint/suspicious/noTemplateCurlyInString: programs as text
/** What goes into a page comes out of it, byte for byte; and the pages that woof makes pass its own check. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, test } from 'vitest';
import { playbook, runWoof, temporaryFolder } from '../cli/woof.ts';

const NASTY = '</script> <!-- <script> $$ $& </head> </body> ]]> ${x} \\u2028 \u2028 \ud83d\udc36';
const NOTEBOOK = `%WOOFNB 1.0
name: ${JSON.stringify(`Round ${NASTY}`)}
language: javascript

# Heading ${NASTY}

\`\`\`cell id=a type=code
const text = ${JSON.stringify(NASTY)};
console.log(text);
\`\`\`
`;
const SIDECAR = `${JSON.stringify({ cell: 'a', outputs: [{ output_type: 'stream', name: 'stdout', text: NASTY }] })}\n`;

async function woof(cwd: string, ...args: string[]) {
  return runWoof(args, { cwd });
}

async function expectClean(cwd: string, page: string): Promise<void> {
  const { status, stdout } = await woof(cwd, 'check', page, '--json');
  expect(JSON.parse(stdout)).toEqual({ diagnostics: [] });
  expect(status).toBe(0);
}

test.each([
  ['live', NOTEBOOK, ['--live', 'js']],
  ['with the line ends of Windows', NOTEBOOK.replaceAll('\n', '\r\n'), ['--live', 'none']],
  ['without a line end', NOTEBOOK.trimEnd(), ['--code', 'shown']],
])('a notebook %s', async (_, text, flags) => {
  const cwd = temporaryFolder({ 'round.woofnb': text, 'round.woofnb.out': SIDECAR });
  const built = await woof(cwd, 'build', 'round.woofnb', '-o', 'round.html', ...flags);
  expect([built.status, built.stderr]).toEqual([0, '']);
  await expectClean(cwd, 'round.html');
  expect((await woof(cwd, 'unbundle', 'round.html', 'out')).status).toBe(0);
  for (const name of ['round.woofnb', 'round.woofnb.out'])
    expect(readFileSync(join(cwd, 'out', name)).equals(readFileSync(join(cwd, name)))).toBe(true);
  const again = await woof(join(cwd, 'out'), 'build', 'round.woofnb', '-o', '../again.html', ...flags);
  expect(again.status).toBe(0);
  expect(readFileSync(join(cwd, 'again.html')).equals(readFileSync(join(cwd, 'round.html')))).toBe(true);
});

it('a folder, built again from what came out of its page', async () => {
  const cwd = temporaryFolder();
  const files = {
    'index.html': `<!doctype html><html lang="en"><title>${NASTY.replaceAll('<', '&lt;')}</title><body><script src="a.js"></script></body></html>`,
    'a.js': `window.text = ${JSON.stringify(NASTY)};`,
    'deep/er/bytes.bin': Buffer.from([0, 255, 254, 13, 10, 0]),
    'empty.txt': '',
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, 'site', path)), { recursive: true });
    writeFileSync(join(cwd, 'site', path), content);
  }
  const env = { SOURCE_DATE_EPOCH: '1700000000' };
  await runWoof(['build', 'site', '-o', 'site.html'], { cwd, env });
  await expectClean(cwd, 'site.html');
  await woof(cwd, 'unbundle', 'site.html', 'other/site');
  for (const path of Object.keys(files))
    expect(readFileSync(join(cwd, 'other/site', path)).equals(readFileSync(join(cwd, 'site', path)))).toBe(
      true,
    );
  await runWoof(['build', 'other/site', '-o', 'again.html'], { cwd, env });
  expect(readFileSync(join(cwd, 'again.html')).equals(readFileSync(join(cwd, 'site.html')))).toBe(true);
});

it('a run', async () => {
  const cwd = temporaryFolder({
    'p.yaml': playbook(`- step: start\n  tool: {kind: noop, result: ${JSON.stringify(NASTY)}}\n`),
  });
  expect((await woof(cwd, 'run', 'p.yaml')).status).toBe(0);
  expect((await woof(cwd, 'build', 'last', '-o', 'run.html')).status).toBe(0);
  await expectClean(cwd, 'run.html');
  expect((await woof(cwd, 'unbundle', 'run.html', 'out')).status).toBe(0);
  expect((await woof(cwd, 'status', 'run.html', 'out')).status).toBe(0);
});

it('a notebook that is not UTF-8 does not become a page', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'n.woofnb'), Buffer.concat([Buffer.from(NOTEBOOK), Buffer.from([0xff, 10])]));
  const refused = await woof(cwd, 'build', 'n.woofnb', '-o', 'n.html');
  expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('is not valid UTF-8') });
});

it('a notebook with a secret does not become a page', async () => {
  const secret = `const token = '${'kX9'}mQ2vL7pRt8wZ';`;
  const cwd = temporaryFolder({ 'n.woofnb': NOTEBOOK.replace('console.log(text);', secret) });
  const refused = await woof(cwd, 'build', 'n.woofnb', '-o', 'n.html', '--json');
  expect(refused.status).toBe(2);
  expect(JSON.parse(refused.stdout)).toMatchObject({
    diagnostics: [{ code: 'workbook/secret', file: 'n.woofnb', line: 9 }],
  });
  for (const flag of ['--allow-secret', '--include-secret']) {
    const meant = await woof(cwd, 'build', 'n.woofnb', '-o', 'n.html', flag, 'n.woofnb');
    expect(meant.status).toBe(0);
  }
});
