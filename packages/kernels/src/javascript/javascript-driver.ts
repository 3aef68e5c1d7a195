/** JavaScript cells: the Node that runs Woof runs them too, in a process of its own. */
import type { Driver } from '../driver.ts';
import { JAVASCRIPT_CORE } from './javascript-core.ts';
import { JAVASCRIPT_POLICY } from './javascript-policy.ts';

/** The parser that the rewriting of cells needs is Node's own copy. */
const FLAGS = ['--expose-internals', '--no-warnings'];

export const javascriptDriver: Driver = {
  language: 'javascript',
  interrupts: false,
  captures: false,
  async launch() {
    return {
      argv: [process.execPath, ...FLAGS, '-e', JAVASCRIPT_CORE + JAVASCRIPT_POLICY],
      env: { UV_THREADPOOL_SIZE: '5' },
      readOnly: [],
    };
  },
  encode: (request) => `${JSON.stringify(request)}\n`,
};
