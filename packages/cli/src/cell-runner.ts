/** What runs cells in this process; the kernels are loaded when a cell first needs one. */
import { join } from 'node:path';
import { CellRunner } from '@woof/worker';
import type { DataDirectory } from './data-directory.ts';

declare const WOOF_VERSION: string;

export function createCellRunner(
  data: DataDirectory,
  options: { sandbox: boolean; cache?: boolean },
): CellRunner {
  const kernels = () => import('@woof/kernels');
  return new CellRunner({
    startKernel: async (spec) => (await kernels()).startKernel(spec),
    runtime: async (language) => `${WOOF_VERSION} ${await (await kernels()).runtimeOf(language)}`,
    cacheFolder: join(data.path, 'cells'),
    sandbox: options.sandbox,
    hidden: [data.path],
    useCache: options.cache ?? true,
  });
}
