export * from './blobs/blob-store.ts';
export * from './blobs/cached-blobs.ts';
export * from './blobs/file-blobs.ts';
export * from './blobs/values.ts';
export * from './memory/memory-store.ts';
export * from './sqlite/database.ts';
export * from './sqlite/sqlite-store.ts';
export * from './store.ts';
