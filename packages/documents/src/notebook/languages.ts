/**
 * What `documents` knows about languages, one row per language. A language without a row can be the language of a cell,
 * but nothing reads its code.
 */
import { bashSyntax } from './bash/bash-syntax.ts';
import { javascriptSyntax } from './javascript/javascript-syntax.ts';
import type { LanguageSyntax } from './language-syntax.ts';
import { pythonSyntax } from './python/python-syntax.ts';
import { rSyntax } from './r/r-syntax.ts';

const SYNTAXES: Readonly<Record<string, LanguageSyntax>> = {
  python: pythonSyntax,
  javascript: javascriptSyntax,
  r: rSyntax,
  bash: bashSyntax,
  julia: { jupyter: { name: 'julia', display_name: 'Julia', extension: '.jl' } },
};

export function syntaxOf(language: string): LanguageSyntax {
  return Object.hasOwn(SYNTAXES, language) ? SYNTAXES[language]! : {};
}

export const knownSyntaxes = Object.entries(SYNTAXES);
