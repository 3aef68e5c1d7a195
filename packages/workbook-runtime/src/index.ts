export * from './broker.ts';
