import { encodeJson } from '@woof/net';
import type { LanguageSyntax } from '../language-syntax.ts';
import { splitFutureImports } from './future-imports.ts';
import { pythonNames } from './python-names.ts';

export const pythonSyntax: LanguageSyntax = {
  names: pythonNames,
  checksDeps: true,
  hasMagics: true,
  jupyter: { name: 'python3', display_name: 'Python 3', extension: '.py' },
  script: {
    bindParameters: (parameters) => `parameters = json.loads(${encodeJson(encodeJson(parameters))})`,
    split: splitFutureImports,
  },
};
