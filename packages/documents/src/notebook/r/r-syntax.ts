import type { LanguageSyntax } from '../language-syntax.ts';
import { rNames } from './r-names.ts';

export const rSyntax: LanguageSyntax = {
  names: rNames,
  woof: /\bwoof\$(?<id>[\w.]+)/g,
  magics: ['R'],
  jupyter: { name: 'ir', display_name: 'R', extension: '.r' },
};
