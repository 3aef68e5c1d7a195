// Builds Studio, the web app that servers serve at /, in dist/studio: index.html, and files named by their content,
// each also compressed.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { JSX } from './jsx.mjs';
import { packagesOf } from './notices.mjs';
import { replaceFolder } from './replace-folder.mjs';
import { styleOf } from './styles.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const room = join(root, 'packages', 'studio', 'src');
const OUTPUT = {
  format: 'esm',
  minify: true,
  comments: false,
  entryFileNames: '[name]-[hash].js',
  chunkFileNames: '[name]-[hash].js',
};

/** Returns the folders of the packages whose code Studio contains. */
export async function buildStudio() {
  const modules = [];
  await replaceFolder('studio', async (dir) => {
    const chunks = await bundle(dir);
    modules.push(...chunks.flatMap(({ moduleIds }) => moduleIds));
    const fileOf = (entry) => chunks.find(({ isEntry, name }) => isEntry && name === entry).fileName;
    writeIndex(dir, { SCRIPT: fileOf('main'), FOLD: fileOf('fold-worker'), STYLE: writeStyle(dir) });
    compress(dir);
  });
  return packagesOf(root, modules);
}

/** The page and its worker in one build, so that what both use is one file, which a browser loads once. */
async function bundle(dir) {
  const build = await rolldown({
    input: { main: join(room, 'main.tsx'), 'fold-worker': join(room, 'fold-worker.ts') },
    platform: 'browser',
    cwd: root,
    tsconfig: 'tsconfig.browser.json',
    resolve: { alias: { yaml: join(root, 'node_modules/yaml/browser/dist/index.js') } },
    transform: JSX,
    moduleTypes: { '.yaml': 'text', '.woofnb': 'text' },
    preserveEntrySignatures: false,
    // A text that the page and its worker share costs less in both than as an import.
    optimization: { inlineConst: true },
    logLevel: 'warn',
  });
  // Once as it comes, to see what the page and the worker contain: both can reach far more than they use.
  const { output: apart } = await build.generate(OUTPUT);
  const [page, worker] = ['main', 'fold-worker'].map((entry) => contents(apart, entry));
  // What every page loads is one file, and not one for each set of pages that share it: small files compress worse.
  const name = (id) => (page.has(id) && !worker.has(id) ? 'main' : null);
  const groups = [{ debugName: 'every page', name, includeDependenciesRecursively: false }];
  const { output } = await build.write({ dir, ...OUTPUT, codeSplitting: { groups } });
  await build.close();
  return output;
}

/** The modules that load with an entry, without those that are imported only when they are shown. */
function contents(chunks, entry) {
  const found = new Set([chunks.find(({ isEntry, name }) => isEntry && name === entry)]);
  for (const { imports } of found)
    for (const file of imports) found.add(chunks.find(({ fileName }) => fileName === file));
  return new Set([...found].flatMap(({ moduleIds }) => moduleIds));
}

function writeStyle(dir) {
  const text = styleOf(root, 'studio');
  const name = `studio-${createHash('sha256').update(text).digest('hex').slice(0, 8)}.css`;
  writeFileSync(join(dir, name), text);
  return name;
}

function writeIndex(dir, names) {
  const page = readFileSync(join(room, 'index.html'), 'utf8');
  const text = Object.entries(names).reduce((done, [word, name]) => done.replace(word, name), page);
  writeFileSync(join(dir, 'index.html'), text);
}

function compress(dir) {
  for (const name of readdirSync(dir)) {
    const packed = gzipSync(readFileSync(join(dir, name)), { level: constants.Z_BEST_COMPRESSION });
    writeFileSync(join(dir, `${name}.gz`), packed);
  }
}
