// Whether the bundles in dist match the sources and this Node: their code caches fit only one version of V8.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = ['packages', 'bench', 'scripts', 'docs', 'package.json', 'package-lock.json'];

const stampOf = (root) => join(root, 'dist', '.built');

export function isBuilt(root, node = process.version) {
  const stamp = stampOf(root);
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== node) return false;
  return newest(SOURCES.map((name) => join(root, name))) <= statSync(stamp).mtimeMs;
}

export function markBuilt(root, node = process.version) {
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(stampOf(root), node);
}

function newest(paths) {
  let time = 0;
  for (const path of paths) {
    const stats = statSync(path);
    const entries = stats.isDirectory() ? readdirSync(path).filter((name) => name !== 'node_modules') : [];
    time = Math.max(time, stats.mtimeMs, newest(entries.map((name) => join(path, name))));
  }
  return time;
}
