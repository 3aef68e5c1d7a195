export * from './cron.ts';
export * from './schedule.ts';
export * from './scheduler.ts';
export { nextTimes } from './settle.ts';
export { zoneOf } from './zone.ts';
