/** Python cells: how the interpreter starts, and which parts of the driver it gets. */

import { encodeJson } from '@woof/net';
import { findInterpreter } from '@woof/sandbox';
import type { Driver } from '../driver.ts';
import PYTHON_AUDIT from './python-audit.py?raw';
import PYTHON_CAPTURE from './python-capture.py?raw';
import PYTHON_CELL from './python-cell.py?raw';
import PYTHON_CONNECT from './python-connect.py?raw';
import PYTHON_CORE from './python-core.py?raw';
import PYTHON_DISPLAY from './python-display.py?raw';
import { findEnvironment } from './python-environment.ts';
import PYTHON_EXECUTE from './python-execute.py?raw';
import PYTHON_FAILURE from './python-failure.py?raw';
import PYTHON_PICKLE from './python-pickle.py?raw';
import PYTHON_SCOPE from './python-scope.py?raw';
import PYTHON_STORES from './python-stores.py?raw';
import PYTHON_THREADS from './python-threads.py?raw';
import PYTHON_VALUES from './python-values.py?raw';
import PYTHON_WORLD from './python-world.py?raw';

/** Compiled on first use: compiling all of them would take longer than a small notebook. */
const PARTS = {
  display: PYTHON_DISPLAY,
  failure: PYTHON_FAILURE,
  values: PYTHON_VALUES,
  pickle: PYTHON_PICKLE,
  world: PYTHON_WORLD,
  stores: PYTHON_STORES,
  capture: PYTHON_CAPTURE,
};

const SOURCE = PYTHON_THREADS + PYTHON_AUDIT + PYTHON_CORE + PYTHON_SCOPE + PYTHON_EXECUTE + PYTHON_CELL;

export const pythonDriver: Driver = {
  language: 'python',
  channel: 'descriptor',
  interrupts: true,
  captures: true,
  checksPolicy: true,
  moves: false,
  tables: 'columns',
  async launch({ environments: root, requirements = [], sandbox }) {
    const environment = root && (await findEnvironment({ root, requirements }));
    const { executable, folders } = await findInterpreter(environment, sandbox);
    const { notice } = await findInterpreter('', environment !== undefined || sandbox);
    // -I: neither the environment nor the working directory affects what the driver itself imports.
    return {
      argv: [executable, '-I', '-c', SOURCE],
      env: { MPLBACKEND: 'Agg' },
      readOnly: folders,
      ...(notice === undefined ? {} : { notice }),
    };
  },
  contained(socket) {
    return {
      argv: ['python3', '-I', '-c', PYTHON_CONNECT + SOURCE, socket],
      env: { MPLBACKEND: 'Agg' },
    };
  },
  encode(request) {
    return `${encodeJson(request.do === 'hello' ? { ...request, parts: PARTS } : request)}\n`;
  },
};
