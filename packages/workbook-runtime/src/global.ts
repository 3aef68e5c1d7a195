/** For classic scripts: `window.wb`. */
import { wb } from './index.ts';

Object.assign(window, { wb });
