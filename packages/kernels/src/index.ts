export * from './kernel.ts';
