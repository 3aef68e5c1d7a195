// Loads the bundle in dist/cli with V8's code cache and runs it.
//
// Node 20 compiles every module anew, which took 25 of the 86 ms of a short run. The build runs the bundle once with
// WOOF_CODE_CACHE=write and keeps what V8 compiled beside each file; V8 itself refuses a cache of another version.
'use strict';
const { existsSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { Script } = require('node:vm');

const folder = join(__dirname, '..', 'dist', 'cli');
const outside = createRequire(join(folder, 'woof.cjs'));
const loaded = new Map();
const scripts = new Map();

function load(name) {
  const known = loaded.get(name);
  if (known) return known.exports;
  const file = join(folder, name);
  const script = compile(file);
  const module = { exports: {} };
  loaded.set(name, module);
  script.runInThisContext()(module.exports, requireFrom, module, file, folder);
  scripts.set(file, script);
  return module.exports;
}

function compile(file) {
  const source = `(function(exports,require,module,__filename,__dirname){${readFileSync(file, 'utf8')}\n})`;
  return new Script(source, { filename: file, cachedData: cacheOf(file) });
}

function cacheOf(file) {
  try {
    return readFileSync(`${file}.cache`);
  } catch {
    return undefined;
  }
}

/** Written aside and renamed: another woof may be reading it. */
function keep(file, script) {
  // V8 has forgotten the code of what ran once, the file as a whole above all; so it runs once more, to no effect.
  script.runInThisContext()({}, requireFrom, { exports: {} }, file, folder);
  const aside = `${file}.${process.pid}`;
  writeFileSync(aside, script.createCachedData());
  renameSync(aside, `${file}.cache`);
}

function requireFrom(name) {
  return name.startsWith('./') ? load(name.slice(2)) : outside(name);
}

function end(status) {
  if (process.env.WOOF_CODE_CACHE === 'write') for (const entry of scripts) keep(...entry);
  // What is left (idle connections, timers) has no more to say; what was said must be out.
  const unsent = [process.stdout, process.stderr].filter((stream) => stream.writableLength > 0);
  Promise.all(unsent.map((stream) => new Promise((resolve) => stream.once('drain', resolve)))).then(() =>
    process.exit(status),
  );
}

if (!existsSync(join(folder, 'woof.cjs'))) {
  process.stderr.write('error: woof is not built\n  fix: npm run build\n');
  process.exit(1);
}
load('woof.cjs').main(process.argv.slice(2)).then(end);
