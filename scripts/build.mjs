// Builds all bundles: the command line (dist/cli), the chart renderer (dist/vega), the scripts inside built pages
// (dist/workbook), the documentation site (dist/docs), Studio (dist/studio), the benchmarks (dist/bench) and the
// simulator (dist/simulate).
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { buildDocsSite } from './docs-site.mjs';
import { driverDigest } from './driver-digest.mjs';
import { JSX } from './jsx.mjs';
import { billOfMaterials, longNotices, packagesOf, shortNotices } from './notices.mjs';
import { pythonForPages } from './python-for-pages.mjs';
import { rawText } from './raw-text.mjs';
import { replaceFolder } from './replace-folder.mjs';
import { buildStudio } from './studio.mjs';
import { styleOf } from './styles.mjs';

const root = new URL('..', import.meta.url).pathname;
const packageOf = (folder) => JSON.parse(readFileSync(`${root}${folder}package.json`, 'utf8'));
const { version } = packageOf('');
const optional = {
  '@duckdb/node-api': packageOf('packages/tools/').dependencies['@duckdb/node-api'],
  rolldown: packageOf('packages/workbook-build/').dependencies.rolldown,
};

const define = {
  WOOF_VERSION: JSON.stringify(version),
  WOOF_OPTIONAL: JSON.stringify(optional),
  WOOF_DRIVERS: JSON.stringify(driverDigest(`${root}packages/kernels/src`)),
};

/** The third-party packages contained in what is installed. */
const bundled = new Set();

async function bundle(input, folder, output, platform = 'node') {
  await replaceFolder(folder, (aside) => write(input, { dir: aside, ...output }, platform));
}

async function write(input, output, platform) {
  const build = await rolldown({
    input,
    platform,
    cwd: root,
    tsconfig: platform === 'browser' ? 'tsconfig.browser.json' : 'tsconfig.json',
    external: ['@photostructure/sqlite', 'playwright-core', 'rolldown', 'rolldown/parseAst'],
    plugins: [rawText],
    // yaml's build for Node is CommonJS, from which unused code cannot be removed.
    resolve: { alias: { yaml: `${root}node_modules/yaml/browser/dist/index.js` } },
    transform: {
      ...(platform === 'browser' ? JSX : {}),
      define,
    },
    // Chunks merged into those of verbs would load whole verbs, and each other in cycles.
    experimental: { chunkOptimization: false },
    logLevel: 'warn',
  });
  const { output: chunks } = await build.write(output);
  await build.close();
  const found = packagesOf(
    root,
    chunks.flatMap(({ moduleIds = [] }) => moduleIds),
  );
  for (const folder of found) bundled.add(folder);
  return found;
}

const WARM_UP = `
apiVersion: noetl.io/v10
kind: Playbook
metadata: {name: warm_up}
workload: {items: [1, 2]}
workflow:
  - step: start
    tool:
      - first: {kind: noop, result: "{{ workload.items | length }}"}
      - second:
          kind: noop
          result: {twice: "{{ _prev * 2 }}"}
          spec:
            policy:
              rules:
                - {when: "{{ outcome.status == 'error' }}", then: {do: fail}}
                - else: {then: {do: continue}}
    next: {arcs: [{step: each, when: "{{ start.twice > 1 }}", args: {n: 1}}]}
  - step: each
    loop: {in: "{{ workload.items }}", iterator: item, spec: {mode: parallel, max_in_flight: 2}}
    tool: {kind: noop, result: "{{ item + args.n }}"}
`;

/** What only runs with requests load is in a second pack. */
const WARM_UP_HTTP = `
apiVersion: noetl.io/v10
kind: Playbook
metadata: {name: warm_up_http}
workflow:
  - step: start
    tool: {kind: http, url: "http://127.0.0.1:1/", spec: {policy: {rules: [{else: {then: {do: continue}}}]}}}
`;

const WARM_UP_NOTEBOOK = `%WOOFNB 1.0
name: warm-up
language: python
execution: {cache: content-hash}

\`\`\`cell id=a type=code
x = 1
print(x)
\`\`\`
`;

/**
 * Escapes characters that are not ASCII: with a single other character, V8 stores a script with two bytes per
 * character, and the file must be decoded. Raw templates must not contain any, because escapes have no meaning there.
 */
function toAscii(folder) {
  for (const name of readdirSync(folder)) {
    const text = readFileSync(join(folder, name), 'utf8');
    const raw = text
      .split('String.raw`')
      .slice(1)
      .find((rest) => /^[^`]*[^\0-\x7f]/.test(rest));
    if (raw !== undefined) throw new Error(`a raw template is not ASCII: ${raw.slice(0, 200)}`);
    const escaped = text.replace(
      /[^\0-\x7f]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    writeFileSync(join(folder, name), escaped);
  }
}

/** Runs the common verbs. Each saves what it loaded and what V8 compiled of it; see bin/start.cjs. */
function warmUp() {
  const folder = mkdtempSync(join(tmpdir(), 'woof-warm-up-'));
  const file = join(folder, 'warm-up.yaml');
  writeFileSync(file, WARM_UP);
  const calling = join(folder, 'warm-up-http.yaml');
  writeFileSync(calling, WARM_UP_HTTP);
  const env = { ...process.env, WOOF_DATA: join(folder, 'data') };
  const woof = (...args) =>
    execFileSync(process.execPath, [`${root}bin/woof`, ...args], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  const notebook = join(folder, 'warm-up.woofnb');
  writeFileSync(notebook, WARM_UP_NOTEBOOK);
  for (const kept of ['files', 'code']) {
    env.WOOF_CODE_CACHE = kept;
    woof('run', file);
    for (const verb of ['show', 'why', 'events', 'result']) woof(verb, 'last');
    for (const verb of ['lint', 'graph']) for (const document of [file, notebook]) woof(verb, document);
    try {
      woof('run', notebook, '--no-cache');
      woof('run', notebook);
    } catch {
      // A machine without Python or a sandbox cannot run cells, now or later.
    }
    if (kept === 'files') env.WOOF_CODE_CACHE = 'more';
    woof('run', calling);
  }
  rmSync(folder, { recursive: true });
}

/** Scripts inside pages (built pages and the shell around them), each bundled as one file. */
const PAGES = {
  'shell.js': { input: 'server/src/workbooks/shell/shell.ts' },
  'report.js': { input: 'workbook-page/src/report/main.ts' },
  'notebook.js': { input: 'workbook-page/src/notebook/main.ts' },
  'chart.js': { input: 'workbook-page/src/notebook/chart/main.ts' },
  'javascript-worker.js': { input: 'workbook-page/src/notebook/javascript/worker.ts' },
  'python-worker.js': { input: 'workbook-page/src/notebook/python/worker.ts' },
  'wb.js': { input: 'workbook-runtime/src/index.ts', format: 'esm' },
  'wb.global.js': { input: 'workbook-runtime/src/global.ts' },
};
const PYODIDE = 'node_modules/pyodide';
/** For the pages that contain this script. */
function writeNotices(folder, script, packages) {
  if (packages.length === 0) return;
  writeFileSync(join(folder, `${script.replace(/\.js$/, '')}-notices.txt`), shortNotices(root, packages));
}

const names = (extension) => ({
  entryFileNames: `[name].${extension}`,
  chunkFileNames: `[name]-[hash].${extension}`,
});
await replaceFolder('cli', async (aside) => {
  const output = { dir: aside, format: 'cjs', dynamicImportInCjs: false, minify: true, ...names('cjs') };
  await write({ woof: 'packages/cli/src/main.ts' }, output, 'node');
  toAscii(aside);
});
// One file without imports, because it runs where there are no files. Builds for browsers have no file loader.
await bundle(
  { renderer: 'packages/kernels/src/vega/vega-renderer.ts' },
  'vega',
  { format: 'iife', name: 'woofChart', minify: true, ...names('js') },
  'browser',
);
await replaceFolder('workbook', async (aside) => {
  for (const [file, { input, ...output }] of Object.entries(PAGES)) {
    const options = { format: 'iife', file: join(aside, file), minify: true, comments: false, ...output };
    writeNotices(aside, file, await write(`packages/${input}`, options, 'browser'));
  }
  for (const page of ['report', 'notebook']) writeFileSync(join(aside, `${page}.css`), styleOf(root, page));
  const python = await pythonForPages(`${root}dist/python`);
  bundled.add(PYODIDE);
  writeNotices(aside, 'python.js', [PYODIDE]);
  for (const file of readdirSync(python)) copyFileSync(join(python, file), join(aside, file));
  const types = readFileSync(`${root}packages/workbook-runtime/src/api.ts`, 'utf8');
  writeFileSync(join(aside, 'wb.d.ts'), `${types}\nexport declare const wb: Wb;\n`);
});
for (const folder of [...(await buildDocsSite()), ...(await buildStudio())]) bundled.add(folder);
const others = [...bundled].sort();
writeFileSync(`${root}dist/THIRD-PARTY-NOTICES.txt`, longNotices(root, others));
writeFileSync(`${root}dist/sbom.cdx.json`, billOfMaterials(root, others, { name: '@woof/cli', version }));
warmUp();
if (process.argv.includes('--bench')) {
  await bundle({ bench: 'bench/src/main.ts' }, 'bench', { format: 'esm', ...names('mjs') });
  const simulator = { simulate: 'packages/testkit/src/simulator/main.ts' };
  await bundle(simulator, 'simulate', { format: 'esm', ...names('mjs') });
}
