// Makes Studio, the web app that servers show at /, in dist/studio: index.html, and files named by their content,
// each also compressed.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { packagesOf } from './notices.mjs';
import { replaceFolder } from './replace-folder.mjs';
import { styleOf } from './styles.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const room = join(root, 'packages', 'studio', 'src');
const OUTPUT = {
  format: 'esm',
  minify: true,
  entryFileNames: '[name]-[hash].js',
  chunkFileNames: '[name]-[hash].js',
};

/** The folders of the packages whose code Studio holds. */
export async function buildStudio() {
  const modules = [];
  await replaceFolder('studio', async (dir) => {
    const fold = await bundle('fold-worker.ts', dir);
    const main = await bundle('main.tsx', dir, { WOOF_FOLD_WORKER: JSON.stringify(`/studio/${fold.name}`) });
    modules.push(...fold.modules, ...main.modules);
    const style = writeStyle(dir);
    writeIndex(dir, main.name, style);
    compress(dir);
  });
  return packagesOf(root, modules);
}

async function bundle(entry, dir, define = {}) {
  const build = await rolldown({
    input: join(room, entry),
    platform: 'browser',
    cwd: root,
    tsconfig: 'tsconfig.browser.json',
    resolve: { alias: { yaml: join(root, 'node_modules/yaml/browser/dist/index.js') } },
    transform: { define },
    moduleTypes: { '.yaml': 'text', '.woofnb': 'text' },
    logLevel: 'warn',
  });
  const { output } = await build.write({ dir, ...OUTPUT });
  await build.close();
  const name = output.find(({ isEntry }) => isEntry).fileName;
  return { name, modules: output.flatMap(({ moduleIds = [] }) => moduleIds) };
}

function writeStyle(dir) {
  const text = styleOf(root, 'studio');
  const name = `studio-${createHash('sha256').update(text).digest('hex').slice(0, 8)}.css`;
  writeFileSync(join(dir, name), text);
  return name;
}

function writeIndex(dir, script, style) {
  const page = readFileSync(join(room, 'index.html'), 'utf8');
  writeFileSync(join(dir, 'index.html'), page.replace('SCRIPT', script).replace('STYLE', style));
}

function compress(dir) {
  for (const name of readdirSync(dir)) {
    const packed = gzipSync(readFileSync(join(dir, name)), { level: constants.Z_BEST_COMPRESSION });
    writeFileSync(join(dir, `${name}.gz`), packed);
  }
}
