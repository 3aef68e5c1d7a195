/** Runs cells in this process; the kernels are loaded when a cell first needs one. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CellRunner, environmentOf } from '@woof/worker';
import { type DataDirectory, environmentsOf } from './data-directory.ts';

declare const WOOF_VERSION: string;
/** A digest of the kernels' code, so that results of another build with the same version do not count. */
declare const WOOF_DRIVERS: string;

/** As seen from dist/cli, where this runs. */
const RENDERER = '../vega/renderer.js';

export function createCellRunner(
  data: DataDirectory,
  options: { sandbox: boolean; cache?: boolean; hidden?: string[]; carriesOutputs?: boolean },
): CellRunner {
  const kernels = () => import('@woof/kernels');
  const environments = environmentsOf(data);
  return new CellRunner({
    startKernel: async (spec) => (await kernels()).startKernel({ ...spec, environments }),
    renderChart: async (request) => {
      const renderer = fileURLToPath(new URL(RENDERER, import.meta.url));
      return (await kernels()).renderChart({ ...request, renderer });
    },
    runtime: async ({ env, ...cell }) => {
      const { runtimeOf } = await import('@woof/kernels/runtime-of');
      const sources = { ...cell, ...environmentOf(env), environments, sandbox: options.sandbox };
      return `${WOOF_VERSION} ${WOOF_DRIVERS} ${await runtimeOf(sources)}`;
    },
    cacheFolder: join(data.path, 'cells'),
    sandbox: options.sandbox,
    hidden: options.hidden ?? [data.path],
    useCache: options.cache ?? true,
    carriesOutputs: options.carriesOutputs ?? false,
  });
}
