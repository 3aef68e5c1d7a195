import type { KernelSpec } from './kernel.ts';

/** What of a kernel decides which runtime it has. */
export type RuntimeSources = Pick<
  KernelSpec,
  'language' | 'kernel' | 'requirements' | 'environments' | 'container'
> &
  Partial<Pick<KernelSpec, 'sandbox'>>;
