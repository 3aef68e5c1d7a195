// An import that ends with ?raw yields the text of a file, as in Vite: used for programs in other languages.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const RAW = /\?raw$/;

export const rawText = {
  name: 'raw-text',
  resolveId: { filter: { id: RAW }, handler: (id, importer) => resolve(dirname(importer), id) },
  load: {
    filter: { id: RAW },
    handler: (id) => `export default ${JSON.stringify(readFileSync(id.replace(RAW, ''), 'utf8'))};`,
  },
};
