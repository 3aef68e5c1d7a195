export type { Denials } from './cell-denials.ts';
export { findKernelspecs } from './jupyter/kernelspecs.ts';
export * from './kernel.ts';
export { LANGUAGES } from './languages.ts';
export { findEnvironment, installEnvironment } from './python/python-environment.ts';
export { type Unmet, unmetRequirements } from './python/python-requirements.ts';
export { startKernel } from './start-kernel.ts';
export { type ChartEnd, type ChartRequest, renderChart } from './vega/render-chart.ts';
