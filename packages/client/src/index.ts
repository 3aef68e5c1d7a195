export { Client, type ClientOptions, Unreachable } from './client.ts';
export { followEvents } from './follow-events.ts';
export { HttpBlobs } from './http-blobs.ts';
export { HttpWork } from './http-work.ts';
export { fromEnvelope, RemoteStore } from './remote-store.ts';
