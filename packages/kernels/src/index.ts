export * from './kernel.ts';
export { findDriver, LANGUAGES } from './languages.ts';
export { startKernel } from './start-kernel.ts';
