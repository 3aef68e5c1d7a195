/**
 * A JavaScript cell that uses what it did not declare, in a kernel that may do everything. Every attempt prints
 * "reached" if it works. The control is the same code in a cell that declares it.
 */

import { createServer } from 'node:net';
import { describeUnless } from '@woof/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EVERYTHING, KernelCase, NOTHING, runCell, whyNoSandbox } from '../kernel-case.ts';

const reason = await whyNoSandbox();

const ATTEMPTS: [code: string, key: string][] = [
  ['require("fs").readFileSync("data.txt"); console.log("reached")', 'files'],
  ['require("node:fs").writeFileSync("made.txt", "x"); console.log("reached")', 'files'],
  ['await require("fs/promises").readFile("data.txt"); console.log("reached")', 'files'],
  ['import fs from "node:fs"; fs.readdirSync("."); console.log("reached")', 'files'],
  ['import { openSync } from "fs"; openSync("data.txt"); console.log("reached")', 'files'],
  [
    'const { createReadStream } = require("fs"); for await (const _ of createReadStream("data.txt")); console.log("reached")',
    'files',
  ],
  ['require("fs").readFileSync("/proc/self/cwd/data.txt"); console.log("reached")', 'files'],
  ['require("child_process").execSync("true"); console.log("reached")', 'shell'],
  ['require("child_process").spawnSync("true"); console.log("reached")', 'shell'],
  [
    'import { execFileSync } from "node:child_process"; execFileSync("true"); console.log("reached")',
    'shell',
  ],
  ['(await import("node:child_process")).spawn("true"); console.log("reached")', 'shell'],
  [
    'await new Promise((ok, no) => require("net").connect(PORT, "127.0.0.1").on("connect", ok).on("error", no)); console.log("reached")',
    'network',
  ],
  [
    'await new Promise((ok, no) => require("http").get("http://127.0.0.1:PORT", ok).on("error", no)); console.log("reached")',
    'network',
  ],
  ['await fetch("http://127.0.0.1:PORT/"); console.log("reached")', 'network'],
  ['require("dgram").createSocket("udp4").send("x", PORT, "127.0.0.1"); console.log("reached")', 'network'],
  ['require("net").createServer().listen(0, "127.0.0.1"); console.log("reached")', 'network'],
];

describeUnless(reason).each([true, false])(
  'what a JavaScript cell did not declare, with sandbox %s',
  (sandbox) => {
    const kernels = new KernelCase();
    const server = createServer((socket) => {
      socket
        .on('error', () => undefined)
        .end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    });
    beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
    afterAll(async () => {
      server.close();
      await kernels.remove();
    });

    it.each(ATTEMPTS)('%s', async (code, key) => {
      const { port } = server.address() as { port: number };
      const text = code.replaceAll('PORT', String(port));
      const kernel = await kernels.start('js', { policy: EVERYTHING, sandbox });
      const { stdout, error } = await runCell(kernel, text, { declared: NOTHING });
      expect(stdout).toBe('');
      expect(error?.ename).toBe('PolicyError');
      expect(error?.evalue).toContain(`io_policy.allow_${key}: true`);
      const control = await runCell(kernel, text, { declared: EVERYTHING });
      expect(control.stdout, JSON.stringify(control.error)).toBe('reached\n');
      await kernel.close();
    });

    it('does not affect what needs no permission', async () => {
      const code = `const os = require('os'), fs = require('fs'), path = require('path'), zlib = require('zlib');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'x'));
fs.writeFileSync(path.join(folder, 'a'), 'b');
fs.readFileSync(path.join(folder, 'a'), 'utf8') + zlib.gunzipSync(zlib.gzipSync('c'))`;
      const kernel = await kernels.start('js', { sandbox });
      expect(await runCell(kernel, code)).toMatchObject({ status: 'ok', result: "'bc'" });
    });
  },
);
