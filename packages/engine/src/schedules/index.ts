export * from './schedule.ts';
export * from './scheduler.ts';
export { nextTimes } from './settle.ts';
