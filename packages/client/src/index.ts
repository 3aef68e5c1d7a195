export { Client, type ClientOptions, type Reply, Unreachable } from './client.ts';
export { type FollowOptions, followEvents } from './follow-events.ts';
export { HttpBlobs } from './http-blobs.ts';
export { HttpWork } from './http-work.ts';
export { Reach, type ReachOptions } from './reach.ts';
export { RemoteStore } from './remote-store.ts';
