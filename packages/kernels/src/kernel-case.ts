/** Runs cells in a kernel with its own folder. Test-only. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { probeSandbox, type SandboxPolicy } from '@woof/sandbox';
import type { CellEnd, CellOutput, CellRun, Kernel, KernelSpec } from './kernel.ts';
import { startKernel } from './start-kernel.ts';

export const NOTHING: SandboxPolicy = { allow_files: false, allow_network: false, allow_shell: false };
export const FILES: SandboxPolicy = { ...NOTHING, allow_files: true };
export const NETWORK: SandboxPolicy = { ...NOTHING, allow_network: true };
export const SHELL: SandboxPolicy = { ...NOTHING, allow_files: true, allow_shell: true };
export const EVERYTHING: SandboxPolicy = { allow_files: true, allow_network: true, allow_shell: true };

export interface Ran extends CellEnd {
  outputs: CellOutput[];
  stdout: string;
  stderr: string;
  /** text/plain of the result. */
  result: string | undefined;
}

/** Why tests of untrusted code cannot run here, or undefined. */
export async function whyNoSandbox(): Promise<string | undefined> {
  const { available, reason = '', fix } = await probeSandbox();
  if (available) return undefined;
  return `${reason}. ${fix}`;
}

export class KernelCase {
  readonly root = mkdtempSync(join(realpathSync(tmpdir()), 'woof-kernels-'));
  readonly workdir = join(this.root, 'work');
  readonly #kernels: Kernel[] = [];

  constructor() {
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

  async start(language: string, spec: Partial<KernelSpec> = {}): Promise<Kernel> {
    const { workdir } = this;
    const kernel = await startKernel({
      ...{ language, workdir, policy: NOTHING, parameters: {}, sandbox: true, hidden: [] },
      ...spec,
    });
    this.#kernels.push(kernel);
    return kernel;
  }

  async remove(): Promise<void> {
    await Promise.all(this.#kernels.map((kernel) => kernel.close()));
    rmSync(this.root, { recursive: true, force: true });
  }
}

export async function runCell(kernel: Kernel, code: string, more: Partial<CellRun> = {}): Promise<Ran> {
  const outputs: CellOutput[] = [];
  const { signal } = new AbortController();
  const cell = { id: 'cell', code, declared: kernel.spec.policy, signal, ...more };
  const end = await kernel.run(cell, { output: (output) => void outputs.push(output) });
  const text = (name: string) =>
    outputs.map((o) => (o.output_type === 'stream' && o.name === name ? o.text : '')).join('');
  const result = outputs.flatMap((o) =>
    o.output_type === 'execute_result' ? [o.data['text/plain']] : [],
  )[0];
  return {
    ...end,
    outputs,
    stdout: text('stdout'),
    stderr: text('stderr'),
    result: result as string | undefined,
  };
}
