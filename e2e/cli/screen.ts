/** What a person sees: a program on a real pseudo-terminal of some size, and the screen that an emulator makes of it. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root, start } from './woof.ts';

// Their types include browser types, which conflict with Node's.
const require = createRequire(import.meta.url);
const { Terminal } = require('@xterm/headless') as { Terminal: new (options: object) => Emulator };
const { Unicode11Addon } = require('@xterm/addon-unicode11') as { Unicode11Addon: new () => object };

interface Emulator {
  unicode: { activeVersion: string };
  buffer: { active: { length: number; baseY: number; cursorY: number; getLine(at: number): Line } };
  loadAddon(addon: object): void;
  write(text: string, done: () => void): void;
}

interface Line {
  isWrapped: boolean;
  translateToString(trimRight: boolean): string;
}

export interface Screen {
  /** All lines, those that scrolled off too. */
  lines: { text: string; isWrapped: boolean; isOff: boolean }[];
  /** What the program wrote. */
  bytes: string;
}

/** Runs woof commands one after another. */
export async function screenOf(
  verbs: readonly string[],
  columns: number,
  rows: number,
  cwd: string,
): Promise<Screen> {
  const woof = `'${process.execPath}' '${join(root, 'bin', 'woof')}'`;
  const command = [`stty cols ${columns} rows ${rows}`, ...verbs.map((verb) => `${woof} ${verb}`)].join('; ');
  const env = { TERM: 'xterm-256color' };
  const { stdout: bytes } = await start('script', ['-qec', command, '/dev/null'], { cwd, env }).ended;
  const terminal = new Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = '11';
  await new Promise<void>((resolve) => terminal.write(bytes, resolve));
  const { active: buffer } = terminal.buffer;
  const lines = Array.from({ length: buffer.length }, (_, at) => {
    const line = buffer.getLine(at);
    return { text: line.translateToString(true), isWrapped: line.isWrapped, isOff: at < buffer.baseY };
  });
  return { lines: lines.slice(0, buffer.baseY + buffer.cursorY), bytes };
}
