export * from './driver.ts';
export * from './exercise-blobs.ts';
export * from './exercise-store.ts';
export * from './plan-builder.ts';
export { smallDiskReason } from './postgres/small-disk.ts';
export * from './postgres/start-postgres.ts';
export * from './random-plan.ts';
export * from './slurm/start-slurm.ts';
export * from './unless.ts';
