export { readBeside, readPlainFile, removeBeside } from './cells/beside.ts';
export { environmentOf, type RunSetting } from './cells/cell-call.ts';
export * from './cells/cell-runner.ts';
export { staleEntries } from './cells/prune-cache.ts';
export {
  artifactPath,
  filesOf,
  filesWritten,
  isArtifactOf,
  isBinaryType,
  Sidecar,
  type SidecarLine,
} from './cells/sidecar.ts';
export * from './keychain/keychain-fault.ts';
export * from './keychain/keychains.ts';
export type { SecretSources } from './keychain/sources.ts';
export type { TaskLimits } from './limits.ts';
export * from './log-sink.ts';
export * from './remote/execution-folders.ts';
export * from './remote/remote-limits.ts';
export * from './remote/remote-log-sink.ts';
export * from './remote/remote-secrets.ts';
export * from './remote/remote-worker.ts';
export * from './result-store/result-stores.ts';
export * from './worker.ts';
export * from './worker.ts';
