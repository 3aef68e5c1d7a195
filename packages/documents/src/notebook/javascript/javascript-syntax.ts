import type { LanguageSyntax } from '../language-syntax.ts';
import { javascriptNames } from './javascript-names.ts';

export const javascriptSyntax: LanguageSyntax = {
  names: javascriptNames,
  checksDeps: true,
  magics: ['javascript', 'js'],
};
