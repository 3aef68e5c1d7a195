export { parseTraceparent } from './trace-context.ts';
export * from './trace-exporter.ts';
export * from './trace-settings.ts';
