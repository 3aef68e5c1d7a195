export * from './schedule.ts';
export * from './scheduler.ts';
export { nextTimes, scheduledRunId, timesBetween } from './settle.ts';
