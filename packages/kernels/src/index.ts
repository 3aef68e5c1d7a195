export * from './kernel.ts';
export { findDriver, LANGUAGES } from './languages.ts';
export { runtimeOf } from './runtime-of.ts';
export { startKernel } from './start-kernel.ts';
