/** JavaScript cells run in a separate process of the same Node that runs Woof. */
import { encodeJson } from '@woof/net';
import type { Driver } from '../driver.ts';
import JAVASCRIPT_CORE from './javascript-core.cjs?raw';
import JAVASCRIPT_JSON from './javascript-json.cjs?raw';
import JAVASCRIPT_POLICY from './javascript-policy.cjs?raw';
import JAVASCRIPT_REWRITE from './javascript-rewrite.cjs?raw';

/** Wrapped in a scope, because all later scripts, including the cells, see what a script declares at the top level. */
const SOURCE = `(() => {${JAVASCRIPT_JSON}${JAVASCRIPT_CORE}${JAVASCRIPT_REWRITE}${JAVASCRIPT_POLICY}listen();\n})();`;

/** Rewriting cells needs Node's internal copy of the parser. */
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
