// The part of the Jupyter driver that speaks ZMTP 3.0, the wire protocol of ZeroMQ, over Unix sockets.
//
// Implements only what a client of kernels needs: no security mechanism (the sockets are in the sandbox's own folder
// and messages are signed), the roles DEALER and SUB, and multi-frame messages. It is not a package because the driver
// runs inside the sandbox, where a native library would first have to be made visible.

const GREETING = Buffer.concat([
  Buffer.from('ff00000000000000017f0300', 'hex'),
  Buffer.from('NULL'.padEnd(20, '\0'), 'latin1'),
  Buffer.alloc(32),
]);
const MORE = 1,
  LONG = 2,
  COMMAND = 4;

function frame(body, flags) {
  if (body.length < 256) return Buffer.concat([Buffer.from([flags, body.length]), body]);
  const head = Buffer.alloc(9);
  head.writeUInt8(flags | LONG, 0);
  head.writeBigUInt64BE(BigInt(body.length), 1);
  return Buffer.concat([head, body]);
}

function ready(role) {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(role.length);
  return frame(
    Buffer.concat([Buffer.from('\x05READY\x0bSocket-Type', 'latin1'), size, Buffer.from(role, 'latin1')]),
    COMMAND,
  );
}

// Received bytes, read from the front without copying the rest.
class Incoming {
  parts = [];
  length = 0;
  add(chunk) {
    this.parts.push(chunk);
    this.length += chunk.length;
  }
  peek(size) {
    if (this.length < size) return undefined;
    if (this.parts[0].length < size) this.parts = [Buffer.concat(this.parts)];
    return this.parts[0].subarray(0, size);
  }
  take(size) {
    const taken = size === 0 ? Buffer.alloc(0) : this.peek(size);
    if (size === 0 || taken === undefined) return taken;
    const rest = this.parts[0].subarray(size);
    if (rest.length > 0) this.parts[0] = rest;
    else this.parts.shift();
    this.length -= size;
    return taken;
  }
}

// Opens one connection and resolves when both sides are ready. Retries until the kernel listens.
async function connect(path, role, onMessage, isWanted) {
  for (;;) {
    const socket = await opened(path);
    if (socket) return greet(socket, role, onMessage);
    if (!isWanted()) throw new Error(`the kernel has not opened ${path}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function opened(path) {
  return new Promise((resolve) => {
    const socket = net.connect(path);
    socket.once('connect', () => resolve(socket));
    socket.once('error', () => resolve(undefined));
  });
}

function greet(socket, role, onMessage) {
  return new Promise((resolve, reject) => {
    const incoming = new Incoming();
    let greeted = false,
      frames = [];
    socket.removeAllListeners('error');
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the kernel closed its connection')));
    socket.on('data', (chunk) => {
      incoming.add(chunk);
      if (!greeted && incoming.take(GREETING.length)) {
        greeted = true;
        socket.write(ready(role));
      }
      while (greeted) {
        const got = nextFrame(incoming);
        if (!got) return;
        if (got.flags & COMMAND) {
          resolve(send);
          continue;
        }
        frames.push(got.body);
        if (got.flags & MORE) continue;
        onMessage(frames);
        frames = [];
      }
    });
    const send = (parts) =>
      socket.write(Buffer.concat(parts.map((part, i) => frame(part, i < parts.length - 1 ? MORE : 0))));
    socket.write(GREETING);
  });
}

function nextFrame(incoming) {
  const head = incoming.peek(2);
  if (!head) return undefined;
  const isLong = (head[0] & LONG) !== 0;
  const size = isLong ? incoming.peek(9) && Number(incoming.peek(9).readBigUInt64BE(1)) : head[1];
  const before = isLong ? 9 : 2;
  if (size === undefined || incoming.length < before + size) return undefined;
  const flags = incoming.take(before)[0];
  return { flags, body: incoming.take(size) };
}
