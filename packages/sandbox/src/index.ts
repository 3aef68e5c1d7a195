export { CHANNEL_SOCKET, type ContainerSpec } from './container/container-arguments.ts';
export { findContainerEngine, imageIdentity } from './container/container-engine.ts';
export { type ContainedProcess, runContained, spawnContained } from './container/spawn-contained.ts';
export { startDeathGuard } from './death-guard.ts';
export { findProgram } from './find-program.ts';
export { isAlive } from './is-alive.ts';
export { killMarked } from './kill-marked.ts';
export { DEFAULT_KEPT_BYTES, OutputKeeper } from './output-keeper.ts';
export { probeSandbox, type SandboxProbe, sandboxRefusal } from './probe-sandbox.ts';
export { findInterpreter, type Interpreter } from './python-interpreter.ts';
export {
  DEFAULT_MAX_PROCESSES,
  DEFAULT_TMP_BYTES,
  type SandboxPolicy,
  type SandboxSpec,
} from './sandbox-spec.ts';
export { identityOf, type SandboxExit, type SandboxedProcess, spawnSandboxed } from './spawn-sandboxed.ts';
