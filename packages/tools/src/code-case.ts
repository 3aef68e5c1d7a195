/** Runs given code through a tool, in a separate folder. Test-only. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject, Outcome } from '@woof/net';
import { probeSandbox } from '@woof/sandbox';
import { toolCall, toolContext } from './exercise-tool.ts';
import type { Tool, ToolCall, ToolContext } from './tool.ts';

export const FILES = { io_policy: { allow_files: true } };
export const SHELL = { io_policy: { allow_shell: true } };
export const SHELL_AND_FILES = { io_policy: { allow_files: true, allow_shell: true } };

/** Why tests of untrusted code cannot run here, or undefined. */
export async function whyNot(): Promise<string | undefined> {
  const { available, reason = '', fix } = await probeSandbox();
  if (available) return undefined;
  if (reason.startsWith('bubblewrap fails') && !reason.includes('bwrap: ')) throw new Error(reason);
  return `${reason}. ${fix}`;
}

export class CodeCase {
  readonly root = mkdtempSync(join(realpathSync(tmpdir()), 'woof-tools-'));
  readonly workdir = join(this.root, 'work');
  readonly logged: string[] = [];
  readonly #tool: Tool;

  constructor(tool: Tool) {
    this.#tool = tool;
    for (const folder of [this.workdir, join(this.workdir, '.woof'), join(this.workdir, 'sub')])
      mkdirSync(folder);
    writeFileSync(join(this.root, 'secret'), 'the secret');
    writeFileSync(join(this.workdir, '.woof', 'secret'), 'the secret');
    writeFileSync(join(this.workdir, 'data.txt'), 'the data');
    chmodSync(this.root, 0o755);
    chmodSync(this.workdir, 0o777);
    // A skipped suite creates its folders but never runs its hooks.
    process.once('exit', () => rmSync(this.root, { recursive: true, force: true }));
  }

  async run(
    input: JsonObject,
    spec: JsonObject = {},
    context: Partial<ToolContext> = {},
    more: Partial<ToolCall> = {},
  ): Promise<Outcome> {
    const log = (stream: string, text: string) => void this.logged.push(`${stream}: ${text}`);
    const call = toolCall({ input, spec, workdir: this.workdir, ...more });
    return (await this.#tool.run(call, toolContext({ log, ...context }))) as Outcome;
  }

  async remove(): Promise<void> {
    await this.#tool.close?.();
    rmSync(this.root, { recursive: true, force: true });
  }
}
