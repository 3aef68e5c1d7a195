// The JavaScript driver: cells are scripts in one realm, so that a cell sees what earlier ones declared.
//
// Output uses blocking writes: Node's streams would not tell when the last byte was written.

const fs = require('node:fs'),
  vm = require('node:vm'),
  util = require('node:util'),
  path = require('node:path');
const { Writable } = require('node:stream');
const { createRequire } = require('node:module');

const CHANNEL = 3;
const request = { n: 0, token: '', marks: 0, running: false };
let last, fail;

function writeAll(fd, data) {
  for (let view = Buffer.from(data); view.length > 0; ) {
    try {
      view = view.subarray(fs_writeSync(fd, view));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}
const fs_writeSync = fs.writeSync,
  fs_read = fs.read,
  fs_stat = fs.stat;

function send(body) {
  writeAll(CHANNEL, `${encode({ n: request.n, token: request.token, ...body })}\n`);
}

function mark() {
  request.marks += 1;
  const sign = `\x1e${request.token}${request.marks.toString(16).padStart(8, '0')}\x1e`;
  writeAll(1, sign);
  writeAll(2, sign);
  send({ kind: 'mark', mark: request.marks });
}

function stream(fd) {
  const made = new Writable({
    decodeStrings: true,
    write(chunk, _encoding, done) {
      if (last !== fd && last !== undefined && request.running) mark();
      last = fd;
      writeAll(fd, chunk);
      done();
    },
  });
  made.fd = fd;
  // The next cell writes to it too.
  made.end = made.destroy = () => made;
  return made;
}

const stdout = stream(1),
  stderr = stream(2);
Object.defineProperty(process, 'stdout', { value: stdout, configurable: true });
Object.defineProperty(process, 'stderr', { value: stderr, configurable: true });
globalThis.console = new console.Console({ stdout, stderr });

class ProcessExit extends Error {
  constructor(code) {
    super(`the cell called process.exit(${code === undefined ? '' : code}); the kernel continues`);
    this.name = 'ProcessExit';
  }
}
process.exit = (code) => {
  throw new ProcessExit(code);
};

function emit(output_type, data, metadata) {
  if (!request.running) throw new Error('display() works only while a cell runs');
  mark();
  send({ kind: 'output', output: { output_type, data, metadata } });
  mark();
  last = undefined;
}

const MIME = /^[a-z]+\/[\w.+-]+$/;
const isBundle = (value) =>
  value !== null &&
  typeof value === 'object' &&
  !Array.isArray(value) &&
  Object.keys(value).length > 0 &&
  Object.keys(value).every((key) => MIME.test(key));

function bundle(value) {
  if (isBundle(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([mime, data]) => [
        mime,
        data instanceof Uint8Array ? Buffer.from(data).toString('base64') : data,
      ]),
    );
  }
  const data = { 'text/plain': inspect(value) };
  const html =
    value !== null && typeof value === 'object' && typeof value.toHTML === 'function'
      ? value.toHTML()
      : undefined;
  return typeof html === 'string' ? { ...data, 'text/html': html } : data;
}

const MAX_PLAIN = 1 << 20;
function inspect(value) {
  const text = util.inspect(value, { maxArrayLength: 1000 });
  return text.length <= MAX_PLAIN
    ? text
    : `${text.slice(0, MAX_PLAIN)}... (${text.length - MAX_PLAIN} more characters)`;
}

globalThis.display = (value, metadata = {}) => emit('display_data', bundle(value), metadata);

async function evaluate(code, filename) {
  const { scripts, shows } = scriptsOf(code, filename);
  let value;
  for (const { script, waits } of scripts) {
    value = script.runInThisContext({ displayErrors: false });
    if (waits) value = await value();
  }
  return { value: await value, shows };
}

const STACK_LINE = /^\s+at /;
function describe(error) {
  const known = error instanceof Error || util.types.isNativeError(error);
  const ename = known ? String(error.name) : 'Error';
  const evalue = known ? String(error.message) : `thrown: ${inspect(error)}`;
  const lines = known && typeof error.stack === 'string' ? error.stack.split('\n') : [`${ename}: ${evalue}`];
  const own = lines.filter((line) => !STACK_LINE.test(line) || !/node:|\[eval\]|evalmachine/.test(line));
  const traceback = own.slice(0, 200).map((line) => line.slice(0, 2000));
  return { output_type: 'error', ename, evalue, traceback };
}

const TRANSIENT = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EPIPE',
  'EAGAIN',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_SOCKET',
]);
function isTransient(error) {
  for (let at = error, depth = 0; at && depth < 10; at = at.cause, depth += 1)
    if (TRANSIENT.has(at.code)) return true;
  return false;
}

async function run({ cell, code, declared }) {
  setPolicy(declared);
  openNamed(code);
  const filename = `<${cell}>`;
  last = undefined;
  request.running = true;
  let end = {};
  try {
    const broken = new Promise((_, reject) => {
      fail = reject;
    });
    const { value, shows } = await Promise.race([evaluate(code, filename), broken]);
    if (shows && value !== undefined) emit('execute_result', bundle(value), {});
  } catch (error) {
    end = { error: describe(error), transient: isTransient(error) };
  }
  fail = undefined;
  mark();
  request.running = false;
  await turnOfLoop();
  return end;
}

// A cell that broke Node's event loop fails here, before it counts as done, and not in the next cell.
const turnOfLoop = () => new Promise((resolve) => fs_stat('/', resolve));

const onFailure = (error) => {
  if (fail) fail(error);
  else if (!(error instanceof ProcessExit)) stderr.write(`${util.inspect(error)}\n`);
};
process.on('uncaughtException', onFailure);
process.on('unhandledRejection', onFailure);

function hello({ parameters, workdir, tmp, hidden, denials }) {
  Object.assign(place, { workdir, tmp, hidden, denials });
  globalThis.parameters = parameters;
  globalThis.woof = { parameters };
  const cells = createRequire(path.join(workdir, 'cell.js'));
  globalThis.require = (name) => {
    if (/^(node:)?internal\//.test(name)) throw new Error(`Cannot find module '${name}'`);
    return cells(name);
  };
  globalThis.require.resolve = cells.resolve;
  patch();
  for (const name of Object.getOwnPropertyNames(globalThis)) provided.add(name);
  return {};
}

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const bound = new Map();
function bind({ id, value, gentle }) {
  globalThis.woof[id] = value;
  if (gentle && id in globalThis && globalThis[id] !== bound.get(id)) return {};
  bound.set(id, value);
  if (
    IDENTIFIER.test(id) &&
    !['woof', 'parameters', 'display', 'globalThis', 'undefined', 'NaN', 'Infinity'].includes(id)
  )
    globalThis[id] = value;
  return {};
}

const provided = new Set();

function read({ name }) {
  if (provided.has(name)) return {};
  try {
    const value = globalThis[name];
    const text = typeof value === 'function' ? undefined : encode(value);
    return text === undefined ? {} : { value: decode(text) };
  } catch {
    return {};
  }
}

const COMMANDS = { hello, run, bind, read };

async function serve(line) {
  const q = decode(line);
  Object.assign(request, { n: q.n, token: q.token, marks: 0 });
  send({ kind: 'end', ...(await COMMANDS[q.do](q)) });
  request.token = '';
}

let pending = [];
const buffer = Buffer.alloc(1 << 16);
function listen() {
  fs_read(CHANNEL, buffer, 0, buffer.length, null, (error, size) => {
    if (error || size === 0) process.reallyExit(0);
    const at = buffer.subarray(0, size).indexOf(10);
    pending.push(Buffer.from(buffer.subarray(0, at < 0 ? size : at)));
    if (at < 0) return listen();
    const line = Buffer.concat(pending).toString();
    pending = [];
    serve(line).then(listen, () => process.reallyExit(70));
  });
}
