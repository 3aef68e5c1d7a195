// Loads the bundle in dist/cli with V8's code cache and runs it.
//
// Node 20 compiles every module anew, and reads a verb's seventy files one by one: together more than half of a short
// run. So the build runs the common verbs, and each leaves a pack: with WOOF_CODE_CACHE=files all that it loaded, as one
// script, then with WOOF_CODE_CACHE=code what V8 compiled of it, behind it in the same file. V8 refuses a cache of
// another version.
'use strict';
const { existsSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join, sep } = require('node:path');
const { Script } = require('node:vm');

const folder = join(__dirname, '..', 'dist', 'cli');
const outside = createRequire(join(folder, 'woof.cjs'));
const loaded = new Map();
const [, , verb = ''] = process.argv;
const isVerb = /^[a-z]+$/.test(verb);
// Of a notebook a verb loads other things than of a playbook.
const kind = process.argv.some((word) => /\.(woofnb|wnb)$/.test(word)) ? '-notebook' : '';
const own = verb + kind;
// Most of what any verb loads, a run loads too.
const pack = (isVerb && (open(`${own}.pack`) ?? open(`run${kind}.pack`))) || { code: {} };

function load(name) {
  const known = loaded.get(name);
  if (known) return known.exports;
  const module = { exports: {} };
  loaded.set(name, module);
  evaluate(name, pack.code[name] ?? compile(name), module);
  return module.exports;
}

/** A hundred paths at each start: `join` would look at every letter of them. */
function pathOf(name) {
  return folder + sep + name;
}

function evaluate(name, code, module) {
  code(module.exports, requireFrom, module, pathOf(name), folder);
}

const wrapped = (name) =>
  `function(exports,require,module,__filename,__dirname){${readFileSync(pathOf(name), 'latin1')}\n}`;

function compile(name) {
  return new Script(`(${wrapped(name)})`, { filename: pathOf(name) }).runInThisContext();
}

/** Its first eight bytes tell how long the script is; the code cache follows it. */
function open(name) {
  let bytes;
  try {
    bytes = readFileSync(pathOf(name));
  } catch {
    return undefined;
  }
  const end = 8 + bytes.readUInt32LE(0);
  const cachedData = end < bytes.length ? bytes.subarray(end) : undefined;
  const script = new Script(bytes.latin1Slice(8, end), { filename: pathOf(name), cachedData });
  return { name, script, code: script.runInThisContext() };
}

function requireFrom(name) {
  return name.startsWith('./') ? load(name.slice(2)) : outside(name);
}

function keep(what) {
  const code = pack.name === `${own}.pack` ? pack.code : {};
  if (what === 'files') return write([...new Set([...Object.keys(code), ...loaded.keys()])]);
  const names = Object.keys(code);
  // V8 has forgotten the code of what ran once; so it runs once more, to no effect.
  for (const name of names.filter((each) => loaded.has(each))) evaluate(name, code[name], { exports: {} });
  write(names, pack.script.createCachedData());
}

/** Its length is a multiple of eight: V8 copies a cache that does not begin at such a place. */
function sourceOf(names) {
  const source = `({${names.map((name) => `${JSON.stringify(name)}:${wrapped(name)}`).join(',\n')}})`;
  return source.padEnd(Math.ceil(source.length / 8) * 8);
}

/** Written aside and renamed: another woof may be reading it. */
function write(names, cache = Buffer.alloc(0)) {
  const source = sourceOf(names);
  const head = Buffer.alloc(8);
  head.writeUInt32LE(source.length);
  const aside = pathOf(`${own}.${process.pid}`);
  writeFileSync(aside, Buffer.concat([head, Buffer.from(source, 'latin1'), cache]));
  renameSync(aside, pathOf(`${own}.pack`));
}

function end(status) {
  if (process.env.WOOF_CODE_CACHE) keep(process.env.WOOF_CODE_CACHE);
  // What is left (idle connections, timers) has no more to say; what was said must be out.
  process.exitCode = status;
  const unsent = [process.stdout, process.stderr].filter((stream) => stream.writableLength > 0);
  Promise.all(unsent.map((stream) => new Promise((resolve) => stream.write('', resolve)))).then(() =>
    process.exit(status),
  );
}

if (!existsSync(pathOf('woof.cjs'))) {
  process.stderr.write('error: woof is not built\n  fix: npm run build\n');
  process.exit(1);
}
load('woof.cjs').main(process.argv.slice(2)).then(end);
