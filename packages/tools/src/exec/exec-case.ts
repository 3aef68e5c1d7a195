/** Runs blocks through the tool, in a separate folder. Test-only. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject, Outcome } from '@woof/net';
import { MemoryBlobs, toolCall, toolContext } from '../exercise-tool.ts';
import type { ToolOptions } from '../registry.ts';
import type { Parked, ToolCall, ToolContext } from '../tool.ts';
import type { CommandResult } from './exec-runner.ts';
import { createExecTool } from './exec-tool.ts';
import { removeBundles } from './remove-bundles.ts';

export interface ExecResult extends JsonObject {
  bundle: string;
  bundle_sha256: string;
  status: string;
}

export class ExecCase {
  readonly root = mkdtempSync(join(realpathSync(tmpdir()), 'woof-exec-'));
  readonly workdir = join(this.root, 'work');
  readonly runs = join(this.root, 'data', 'runs');
  readonly blobs = new MemoryBlobs();
  readonly logged: string[] = [];

  constructor(private readonly options: ToolOptions = {}) {
    mkdirSync(this.workdir);
  }

  tool() {
    return createExecTool({ runs: this.runs, worker: 'w1', ...this.options });
  }

  async run(
    input: JsonObject,
    call: Partial<ToolCall> = {},
    context: Partial<ToolContext> = {},
  ): Promise<Outcome | Parked> {
    const log = (stream: string, text: string) => void this.logged.push(`${stream}: ${text}`);
    return this.tool().run(
      toolCall({ input: { workdir: '.', ...input }, workdir: this.workdir, ...call }),
      toolContext({ log, blobs: this.blobs, ...context }),
    );
  }

  /** Runs one command that must succeed or fail, but not park. */
  async command(program: string, args: string[] = [], more: JsonObject = {}): Promise<Outcome> {
    return (await this.run({ allow_shell: true, ...more, commands: [{ program, args }] })) as Outcome;
  }

  bundle(outcome: Outcome | Parked): string {
    return join(this.root, 'data', ((outcome as Outcome).result as ExecResult).bundle);
  }

  read(outcome: Outcome | Parked, name: string): string {
    return readFileSync(join(this.bundle(outcome), name), 'utf8');
  }

  manifest(outcome: Outcome | Parked): JsonObject & { commands: CommandResult[] } {
    return JSON.parse(this.read(outcome, 'manifest.json'));
  }

  async remove(): Promise<void> {
    await removeBundles(this.root);
  }
}
