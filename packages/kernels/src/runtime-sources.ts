import type { KernelSpec } from './kernel.ts';

/** The parts of a kernel spec that determine its runtime. */
export type RuntimeSources = Pick<
  KernelSpec,
  'language' | 'kernel' | 'requirements' | 'environments' | 'container'
> &
  Partial<Pick<KernelSpec, 'sandbox'>>;
