/**
 * A driver for an installed Jupyter kernel.
 *
 * A Jupyter kernel cannot enforce a policy per cell, so cells with different permissions get different processes.
 */
import { encodeJson } from '@woof/net';
import type { Driver, Request } from '../driver.ts';
import JUPYTER_CORE from './jupyter-core.cjs?raw';
import { type ValueWords, valueWords } from './jupyter-values.ts';
import { type KernelProgram, kernelProgram } from './kernel-program.ts';
import type { Kernelspec } from './kernelspecs.ts';
import ZMTP from './zmtp.cjs?raw';

export function jupyterDriver(spec: Kernelspec): Driver {
  const words = valueWords(spec.language);
  let program: KernelProgram | undefined;
  return {
    language: spec.name,
    channel: 'descriptor',
    interrupts: true,
    captures: false,
    checksPolicy: false,
    moves: words !== undefined,
    tables: words ? 'columns' : 'records',
    async launch({ policy }) {
      program = await kernelProgram(spec, policy);
      return {
        argv: [process.execPath, '--no-warnings', '-e', JUPYTER_CORE + ZMTP],
        env: { UV_THREADPOOL_SIZE: '1' },
        readOnly: program.readOnly,
        interpreter: program.argv[0] ?? spec.name,
        ...(program.notice === undefined ? {} : { notice: program.notice }),
      };
    },
    encode(request) {
      const { n, token } = request;
      const body =
        request.do === 'hello' ? greeting(request, spec, program!, words) : spelled(request, words);
      return `${JSON.stringify({ n, token, ...body })}\n`;
    },
  };
}

type Hello = Extract<Request, { do: 'hello' }>;

function greeting(
  hello: Hello,
  spec: Kernelspec,
  program: KernelProgram,
  words: ValueWords | undefined,
): object {
  const { argv, env, files } = program;
  const { folder, interruptMode } = spec;
  const { tmp, parameters } = hello;
  const prelude = words?.prelude(hello);
  const kernel = { argv, env: { ...env, ...spec.env }, files, folder, interruptMode, prelude };
  return { do: 'hello', tmp, parameters: encodeJson(parameters), kernel };
}

function spelled(request: Exclude<Request, Hello>, words: ValueWords | undefined): object {
  switch (request.do) {
    case 'run':
      return { do: 'run', cell: request.cell, code: request.code };
    case 'bind':
      return words
        ? { do: 'quietly', code: words.bind(request) }
        : { do: 'keep', id: request.id, value: encodeJson(request.value) };
    case 'read':
      return { do: 'quietly', code: words?.read(request.name, request.tables) ?? '' };
    case 'save':
      return { do: 'quietly', code: words?.save ?? '' };
    case 'load':
      return { do: 'quietly', code: words?.load(request.state) ?? '' };
    default:
      throw new Error(`a Jupyter kernel cannot ${request.do}`);
  }
}
