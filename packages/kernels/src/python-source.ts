/** The text of the Python driver that pages with live cells share: the same cell gives the same outputs there. */
export { PYTHON_DISPLAY } from './python/python-display.ts';
export { PYTHON_EXECUTE } from './python/python-execute.ts';
export { PYTHON_FAILURE } from './python/python-failure.ts';
export { PYTHON_VALUES } from './python/python-values.ts';
