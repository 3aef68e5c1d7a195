/** The Python driver parts that others use: tasks use the audit hook, pages with live cells all that runs a cell. */
export { default as PYTHON_AUDIT } from './python/python-audit.py?raw';
export { default as PYTHON_DISPLAY } from './python/python-display.py?raw';
export { default as PYTHON_EXECUTE } from './python/python-execute.py?raw';
export { default as PYTHON_FAILURE } from './python/python-failure.py?raw';
export { default as PYTHON_SCOPE } from './python/python-scope.py?raw';
export { default as PYTHON_THREADS } from './python/python-threads.py?raw';
export { default as PYTHON_VALUES } from './python/python-values.py?raw';
