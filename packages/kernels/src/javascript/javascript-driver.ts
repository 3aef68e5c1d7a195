/** JavaScript cells: the Node that runs Woof runs them too, in a process of its own. */
import { encodeJson } from '@woof/net';
import type { Driver } from '../driver.ts';
import JAVASCRIPT_CORE from './javascript-core.cjs?raw';
import JAVASCRIPT_JSON from './javascript-json.cjs?raw';
import JAVASCRIPT_POLICY from './javascript-policy.cjs?raw';
import JAVASCRIPT_REWRITE from './javascript-rewrite.cjs?raw';

/** In a scope of its own: what stands at the top of a script is seen by all later ones, the cells among them. */
const SOURCE = `(() => {${JAVASCRIPT_JSON}${JAVASCRIPT_CORE}${JAVASCRIPT_REWRITE}${JAVASCRIPT_POLICY}listen();\n})();`;

/** The parser that the rewriting of cells needs is Node's own copy. */
const FLAGS = ['--expose-internals', '--no-warnings'];

export const javascriptDriver: Driver = {
  language: 'javascript',
  channel: 'descriptor',
  interrupts: false,
  captures: false,
  checksPolicy: true,
  moves: false,
  tables: 'records',
  async launch() {
    return {
      argv: [process.execPath, ...FLAGS, '-e', SOURCE],
      env: { UV_THREADPOOL_SIZE: '5' },
      readOnly: [],
    };
  },
  encode: (request) => `${encodeJson(request)}\n`,
};
