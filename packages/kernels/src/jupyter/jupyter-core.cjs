// The Jupyter driver: a Node program in the sandbox that starts the kernel as its child. It translates the host's
// requests to Jupyter messages (protocol 5.3), and what the kernel publishes to driver messages.
//
// - Kernel and driver share the sandbox: its limits, its folders, its end. The sockets are in the sandbox's own /tmp,
//   so no network is needed, and only the channel connects the kernel to the host.
// - A cell has ended when the kernel has replied and is idle: all output comes before that.
// - What the kernel's process writes to its own stdout and stderr is output too.
// - When the kernel ends, the driver ends in the same way, so that the host reports the true cause.

'use strict';
const fs = require('node:fs'),
  net = require('node:net'),
  path = require('node:path');
const { createHmac, randomBytes, randomUUID, timingSafeEqual } = require('node:crypto');
const { spawn } = require('node:child_process');

const START_MS = 60000;
const request = { n: 0, token: '', marks: 0 };
const channel = new net.Socket({ fd: 3, readable: true, writable: true });
const jupyter = {
  child: undefined,
  key: '',
  session: randomUUID(),
  send: {},
  waiting: new Map(),
  interruptMode: 'signal',
  values: '',
};
let last;

function writeAll(fd, data) {
  for (let view = Buffer.from(data); view.length > 0; ) {
    try {
      view = view.subarray(fs.writeSync(fd, view));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

// Fields that are already JSON are sent unchanged, with all digits of their numbers.
function send(body, fields = '') {
  channel.write(
    `${JSON.stringify({ n: request.n, token: request.token, ...body }).slice(0, -1) + fields}}\n`,
  );
}

function mark() {
  request.marks += 1;
  const sign = `\x1e${request.token}${request.marks.toString(16).padStart(8, '0')}\x1e`;
  writeAll(1, sign);
  writeAll(2, sign);
  send({ kind: 'mark', mark: request.marks });
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

function sign(parts) {
  const hmac = createHmac('sha256', jupyter.key);
  for (const part of parts) hmac.update(part);
  return hmac.digest('hex');
}

function post(to, msg_type, content, metadata = {}) {
  const msg_id = randomUUID();
  const header = {
    msg_id,
    msg_type,
    session: jupyter.session,
    username: 'woof',
    date: new Date().toISOString(),
    version: '5.3',
  };
  const parts = [header, {}, metadata, content].map((part) => Buffer.from(JSON.stringify(part)));
  jupyter.send[to]([Buffer.from('<IDS|MSG>'), Buffer.from(sign(parts)), ...parts]);
  return msg_id;
}

// Undefined for frames that are not a message, or not signed with the key.
function open(frames) {
  const at = frames.findIndex((part) => part.toString('latin1') === '<IDS|MSG>');
  const parts = frames.slice(at + 2, at + 6);
  if (at < 0 || parts.length < 4) return undefined;
  const given = frames[at + 1],
    wanted = Buffer.from(sign(parts));
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
  try {
    const texts = parts.map(String);
    const [header, parent, , content] = texts.map((text) => JSON.parse(text));
    return { type: header.msg_type, parent: parent.msg_id, content, json: texts[3] };
  } catch {
    return undefined;
  }
}

const onReply = (frames) => {
  const message = open(frames);
  const waits = message && jupyter.waiting.get(message.parent);
  if (!waits || !message.type.endsWith('_reply')) return;
  waits.reply = message.content;
  settle(message.parent, waits);
};

const onPublished = (frames) => {
  const message = open(frames);
  const waits = message && jupyter.waiting.get(message.parent);
  if (!waits) {
    // Late output from a thread or pipe of an earlier cell.
    if (request.running && message?.type === 'stream') show('stream', message.content);
    return;
  }
  if (message.type === 'status') {
    if (message.content.execution_state !== 'idle') return;
    waits.idle = true;
    settle(message.parent, waits);
  } else waits.published(message.type, message.content, message.json);
};

function settle(id, waits) {
  if (!waits.reply || !waits.idle) return;
  jupyter.waiting.delete(id);
  waits.resolve(waits.reply);
}

// Resolves to the reply, once everything published before the kernel became idle has arrived.
function ask(to, type, content, published = () => {}, metadata = {}) {
  return new Promise((resolve) => {
    jupyter.waiting.set(post(to, type, content, metadata), {
      reply: undefined,
      idle: false,
      published,
      resolve,
    });
  });
}

const execute = (code, options, published, metadata) =>
  ask(
    'shell',
    'execute_request',
    {
      code,
      silent: false,
      store_history: false,
      user_expressions: {},
      allow_stdin: false,
      stop_on_error: false,
      ...options,
    },
    published,
    metadata,
  );

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
const ANSI = /\x1b\[[0-9;]*[A-Za-z]/g;
const text = (value) => String(value ?? '').replace(ANSI, '');

function describe({ status, ename, evalue, traceback }) {
  if (status === 'ok') return undefined;
  const known = status === 'error';
  const lines = Array.isArray(traceback) ? traceback.flatMap((line) => text(line).split('\n')) : [];
  return {
    output_type: 'error',
    ename: known ? text(ename) || 'Error' : 'Aborted',
    evalue: known ? text(evalue).trimEnd() : 'the kernel did not run the cell',
    traceback: lines.slice(0, 200).map((line) => line.slice(0, 2000)),
  };
}

function show(type, content, json) {
  if (type === 'stream') {
    const fd = content.name === 'stderr' ? 2 : 1;
    if (last !== undefined && last !== fd) mark();
    last = fd;
    writeAll(fd, String(content.text ?? ''));
  }
  const output_type = type === 'update_display_data' ? 'display_data' : type;
  if (output_type !== 'display_data' && output_type !== 'execute_result') return;
  if (!isObject(content.data)) return;
  mark();
  const fields = json.trim().slice(1, -1).replaceAll('\n', ' ');
  send({ kind: 'output' }, `,"output":{${fields},"output_type":${JSON.stringify(output_type)}}`);
  mark();
  last = undefined;
}

async function run({ cell, code }) {
  last = undefined;
  request.running = true;
  const error = describe(await execute(code, { store_history: true }, show, { cellId: cell }));
  request.running = false;
  mark();
  return error ? { error } : {};
}

// Runs our own code, which prints its answer between two marks.
async function quietly({ code }) {
  let said = '';
  const reply = await execute(code, {}, (type, content) => {
    if (type === 'stream' && content.name === 'stdout') said += content.text;
  });
  const error = describe(reply);
  if (error) return { error };
  const answer = said.split('\x1e')[1];
  if (!answer) return {};
  JSON.parse(`{${answer.slice(1)}}`);
  return { fields: answer.replaceAll('\n', ' ') };
}

function keep({ id, value }) {
  fs.writeFileSync(path.join(jupyter.values, `${path.basename(id)}.json`), value);
  return {};
}

function interrupt() {
  if (jupyter.interruptMode === 'message') post('control', 'interrupt_request', {});
  else jupyter.child.kill('SIGINT');
}

function connectionFile(folder) {
  jupyter.key = randomBytes(32).toString('hex');
  const ports = { shell_port: 1, iopub_port: 2, stdin_port: 3, control_port: 4, hb_port: 5 };
  const file = path.join(folder, 'connection.json');
  fs.writeFileSync(
    file,
    JSON.stringify({
      ...ports,
      transport: 'ipc',
      ip: path.join(folder, 's'),
      signature_scheme: 'hmac-sha256',
      key: jupyter.key,
      kernel_name: '',
    }),
    { mode: 0o600 },
  );
  return file;
}

function startKernel({ argv, env, files, folder }, tmp) {
  const place = fs.mkdtempSync(path.join(tmp, 'jupyter-'));
  jupyter.values = fs.mkdtempSync(path.join(tmp, 'values-'));
  for (const [name, content] of Object.entries(files)) fs.writeFileSync(path.join(place, name), content);
  const filled = (word) =>
    word
      .replaceAll('{connection_file}', file)
      .replaceAll('{resource_dir}', folder)
      .replaceAll('{tmp}', place);
  const file = connectionFile(place);
  const [program, ...args] = argv.map(filled);
  const own = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value)]));
  const { UV_THREADPOOL_SIZE, ...inherited } = process.env;
  jupyter.child = spawn(program, args, {
    env: { ...inherited, ...own, WOOF_VALUES: jupyter.values },
    stdio: ['ignore', 1, 2],
  });
  jupyter.child.once('error', (error) => fail(String(error.message)));
  jupyter.child.once('exit', (code, signal) =>
    setTimeout(() => {
      if (signal) process.kill(process.pid, signal);
      else process.exit(code ?? 70);
    }, 100),
  );
  return path.join(place, 's');
}

function fail(message) {
  writeAll(2, `${message}\n`);
  process.exit(70);
}

async function hello({ kernel, tmp, parameters }) {
  const sockets = startKernel(kernel, tmp);
  const late = setTimeout(
    () => fail(`it did not answer within ${START_MS / 1000} s on its sockets (transport ipc)`),
    START_MS,
  );
  jupyter.interruptMode = kernel.interruptMode;
  const [shell, iopub, control] = await Promise.all([
    connect(`${sockets}-1`, 'DEALER', onReply, () => true),
    connect(`${sockets}-2`, 'SUB', onPublished, () => true),
    connect(`${sockets}-4`, 'DEALER', onReply, () => true),
  ]);
  jupyter.send = { shell, control };
  iopub([Buffer.from([1])]);
  await awake();
  keep({ id: 'parameters', value: parameters });
  const started = kernel.prelude ? await quietly({ code: kernel.prelude }) : {};
  clearTimeout(late);
  return started;
}

// A kernel that answers may not have our subscription yet, so this asks again until published messages arrive too.
async function awake() {
  let answered = false;
  while (!answered) {
    const asked = ask('shell', 'kernel_info_request', {}).then(() => {
      answered = true;
    });
    await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, 100))]);
  }
  jupyter.waiting.clear();
}

const COMMANDS = { hello, run, quietly, keep };

async function serve(line) {
  const q = JSON.parse(line);
  Object.assign(request, { n: q.n, token: q.token, marks: 0, busy: true });
  const { fields, ...end } = await COMMANDS[q.do](q);
  send({ kind: 'end', ...end }, fields);
  request.busy = false;
}

let pending = [];
channel.on('data', (chunk) => {
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10)) {
    const line = Buffer.concat([...pending, chunk.subarray(0, at)]).toString();
    pending = [];
    chunk = chunk.subarray(at + 1);
    if (line !== '') serve(line).catch((error) => fail(String(error.message)));
    else if (request.busy) interrupt();
  }
  if (chunk.length > 0) pending.push(chunk);
});
channel.on('close', () => process.exit(0));
channel.on('error', () => process.exit(0));
