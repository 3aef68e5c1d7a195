/** Starts the process of a kernel and waits until its driver answers. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CHANNEL_SOCKET,
  probeSandbox,
  type SandboxSpec,
  sandboxRefusal,
  spawnContained,
} from '@woof/sandbox';
import { cellDenials } from './cell-denials.ts';
import { deathError } from './cell-failure.ts';
import { chooseKernel } from './choose-kernel.ts';
import type { Driver, Launch } from './driver.ts';
import { DriverKernel } from './driver-kernel.ts';
import { DriverProcess } from './driver-process.ts';
import { jupyterDriver } from './jupyter/jupyter-driver.ts';
import type { Kernel, KernelSpec } from './kernel.ts';
import { languages } from './languages.ts';

export async function startKernel(spec: KernelSpec): Promise<Kernel> {
  const driver = await chooseDriver(spec);
  const refusal = driver.refuse?.(spec.policy, spec.denials ?? cellDenials());
  if (refusal !== undefined) throw Object.assign(new Error(refusal), { name: 'PolicyError' });
  try {
    return await start(withProcessPolicy(spec, driver), driver);
  } catch (error) {
    throw await explained(error, spec);
  }
}

async function chooseDriver({ language, kernel }: KernelSpec): Promise<Driver> {
  const chosen = await chooseKernel(language, kernel);
  return typeof chosen === 'string' ? languages[chosen].driver() : jupyterDriver(chosen);
}

function withProcessPolicy(spec: KernelSpec, { checksPolicy }: Driver): KernelSpec {
  return checksPolicy && spec.shared ? { ...spec, policy: spec.shared } : spec;
}

/** Only after a failure, because probing the sandbox costs as much as starting the kernel in it. */
async function explained(error: unknown, spec: KernelSpec): Promise<unknown> {
  const isolated = spec.sandbox && spec.container === undefined;
  const probe = isolated ? await probeSandbox() : { available: true };
  return probe.available ? error : new Error(sandboxRefusal(probe));
}

async function start(spec: KernelSpec, driver: Driver): Promise<Kernel> {
  const workdir = realpathSync(spec.workdir);
  if (spec.container !== undefined) return startContained(spec, driver, spec.container);
  const tmp = spec.sandbox ? '/tmp' : mkdtempSync(join(realpathSync(tmpdir()), 'woof-kernel-'));
  const remove = () => (spec.sandbox ? undefined : rmSync(tmp, { recursive: true, force: true }));
  try {
    const launch = await driver.launch(spec, tmp);
    const process = new DriverProcess(driver, toSandboxSpec(spec, launch, tmp));
    void process.ended.then(remove);
    await greet(process, spec, driver, { workdir, tmp });
    return new DriverKernel(spec, driver, process, { interpreter: launch.argv[0], ...launch });
  } catch (error) {
    remove();
    throw error;
  }
}

/** Regardless of `sandbox`: a container is a boundary of its own. */
async function startContained(spec: KernelSpec, driver: Driver, image: string): Promise<Kernel> {
  const launch = driver.contained?.(CHANNEL_SOCKET);
  if (launch === undefined) {
    throw new Error(`${driver.language} cells cannot run in env.container; only python cells can`);
  }
  const { argv, env } = launch;
  const tmp = '/tmp';
  const [program, ...args] = argv;
  const contained = { ...commonSpec(spec, env, tmp), image, program, args };
  const process = new DriverProcess(driver, await spawnContained(contained));
  await greet(process, spec, driver, { workdir: realpathSync(spec.workdir), tmp });
  return new DriverKernel(spec, driver, process, { interpreter: `${program} in ${image}` });
}

async function greet(
  process: DriverProcess,
  spec: KernelSpec,
  driver: Driver,
  place: { workdir: string; tmp: string },
): Promise<void> {
  const { hidden, parameters, policy, denials = cellDenials() } = spec;
  const hello = await process.request({ do: 'hello', ...place, hidden, policy, denials, parameters });
  if (hello?.error) {
    process.kill();
    throw new Error(`the ${driver.language} kernel cannot start: ${hello.error.evalue}`);
  }
  if (!hello) throw new Error(deathError(await process.ended, spec).evalue);
}

function toSandboxSpec(spec: KernelSpec, { argv, env, readOnly }: Launch, tmp: string): SandboxSpec {
  const path = spec.policy.allow_shell ? { PATH: '/usr/local/bin:/usr/bin:/bin' } : {};
  return { ...commonSpec(spec, { ...path, ...env }, tmp), argv, readOnly, isolate: spec.sandbox };
}

function commonSpec(
  { policy, workdir, hidden, memoryMb, env: own }: KernelSpec,
  env: Record<string, string>,
  tmp: string,
): Pick<SandboxSpec, 'env' | 'policy' | 'workdir' | 'hidden' | 'memoryMb'> {
  const base = { LANG: 'C.UTF-8', HOME: tmp, TMPDIR: tmp, USER: 'nobody', LOGNAME: 'nobody' };
  return {
    env: { ...base, ...env, ...own },
    policy,
    workdir,
    hidden,
    ...(memoryMb === undefined ? {} : { memoryMb }),
  };
}
