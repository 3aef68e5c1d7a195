// Loads the bundle in dist/cli with V8's code cache and runs it.
//
// Node 20 compiles every module at each start, and reads a verb's seventy files one by one: together more than half of
// a short run. So the build runs the common verbs, and each writes a pack. With WOOF_CODE_CACHE=files, it contains
// everything that was loaded, as one script. With WOOF_CODE_CACHE=more, what the pack does not contain becomes a second
// pack, and the first one lists its names. A command opens the second pack only to load one of these. Then
// WOOF_CODE_CACHE=code appends what V8 compiled of both. V8 refuses a cache of another version.
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
// For a notebook, a verb loads different files than for a playbook.
const kind = process.argv.some((word) => /\.(woofnb|wnb)$/.test(word)) ? '-notebook' : '';
const own = verb + kind;
// A run loads most of what any other verb loads.
const pack = (isVerb && (open(own) ?? open(`run${kind}`))) || { code: {} };
/** Opened when the first pack lacks something. */
let second;

function load(name) {
  const known = loaded.get(name);
  if (known) return known.exports;
  const module = { exports: {} };
  loaded.set(name, module);
  evaluate(name, codeOf(name) ?? compile(name), module);
  return module.exports;
}

function codeOf(name) {
  return pack.code.more?.includes(name) ? more().code[name] : pack.code[name];
}

function more() {
  second ??= open(`${pack.name}-more`) ?? { code: {} };
  return second;
}

/** There are a hundred paths at each start, and `join` would scan every character of them. */
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

/** The first eight bytes contain the length of the script; the code cache follows it. */
function open(name) {
  let bytes;
  try {
    bytes = readFileSync(pathOf(`${name}.pack`));
  } catch {
    return undefined;
  }
  const end = 8 + bytes.readUInt32LE(0);
  const cachedData = end < bytes.length ? bytes.subarray(end) : undefined;
  const script = new Script(bytes.latin1Slice(8, end), { filename: pathOf(`${name}.pack`), cachedData });
  return { name, script, code: script.runInThisContext() };
}

function requireFrom(name) {
  return name.startsWith('./') ? load(name.slice(2)) : outside(name);
}

function keep(what) {
  const names = pack.name === own ? namesIn(pack) : [];
  const others = [...loaded.keys()].filter((name) => !names.includes(name));
  if (what === 'files') write(own, [...names, ...others]);
  else if (what === 'more') {
    write(`${own}-more`, others);
    write(own, names, { more: others });
  } else for (const each of [pack, second]) if (each?.script) keepCode(each);
}

function keepCode({ name, script, code }) {
  const names = namesIn({ code });
  // V8 may have discarded code that ran only once, so each module runs again, into an unused object.
  for (const each of names.filter((one) => loaded.has(one))) evaluate(each, code[each], { exports: {} });
  write(name, names, { more: code.more, cache: script.createCachedData() });
}

function namesIn({ code }) {
  return Object.keys(code).filter((name) => name !== 'more');
}

/** The length is a multiple of eight, because V8 copies a cache that is not aligned to that. */
function sourceOf(names, more) {
  const modules = names.map((name) => `${JSON.stringify(name)}:${wrapped(name)}`);
  const source = `({${[`more:${JSON.stringify(more)}`, ...modules].join(',\n')}})`;
  return source.padEnd(Math.ceil(source.length / 8) * 8);
}

/** Written to another file and renamed, because another woof may be reading it. */
function write(name, names, { more = [], cache = Buffer.alloc(0) } = {}) {
  const source = sourceOf(names, more);
  const head = Buffer.alloc(8);
  head.writeUInt32LE(source.length);
  const aside = pathOf(`${name}.${process.pid}`);
  writeFileSync(aside, Buffer.concat([head, Buffer.from(source, 'latin1'), cache]));
  renameSync(aside, pathOf(`${name}.pack`));
}

function end(status) {
  if (process.env.WOOF_CODE_CACHE) keep(process.env.WOOF_CODE_CACHE);
  // Whatever is left (idle connections, timers) produces no more output, but output so far must be flushed.
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
