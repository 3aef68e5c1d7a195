/** What the sandbox adds to the start of a Python kernel, measured with and without it in turn. */
import { tmpdir } from 'node:os';
import { delimiter, dirname } from 'node:path';
import { startKernel } from '@woof/kernels';
import { findInterpreter, probeSandbox } from '@woof/sandbox';
import { type Figure, median } from '../figure.ts';

const ROUNDS = 25;
const NOTHING = { allow_files: false, allow_network: false, allow_shell: false };

async function start(sandbox: boolean): Promise<number> {
  const started = performance.now();
  const kernel = await startKernel({
    ...{ language: 'python', workdir: tmpdir(), policy: NOTHING, parameters: {}, sandbox, hidden: [] },
  });
  const took = performance.now() - started;
  await kernel.close();
  return took;
}

/** If root starts it, the sandbox may use another Python than the first on the PATH, which may be slower or faster. */
async function preferSandboxed(): Promise<void> {
  const { executable } = await findInterpreter();
  process.env.PATH = [dirname(executable), process.env.PATH].join(delimiter);
}

export async function sandboxFigures(): Promise<Figure[]> {
  const { available, reason = '' } = await probeSandbox();
  if (!available) return [{ name: 'sandbox', value: Number.NaN, unit: '', note: reason }];
  await preferSandboxed();
  await start(true);
  await start(false);
  const caged: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    caged.push(await start(true));
    bare.push(await start(false));
  }
  return [
    { name: 'start of a Python kernel, sandboxed', value: median(caged), unit: 'ms' },
    { name: 'the same without a sandbox', value: median(bare), unit: 'ms' },
    { name: 'what the sandbox adds to a kernel', value: median(caged) - median(bare), unit: 'ms', atMost: 8 },
  ];
}
