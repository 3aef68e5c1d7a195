import type { LanguageSyntax } from '../language-syntax.ts';

/** No magics here: they denote cells of the type `bash`, not code of the language. */
export const bashSyntax: LanguageSyntax = {
  needsShell: true,
  woof: /\$\{woof\[(?<id>[\w.-]+)\]/g,
  jupyter: { name: 'bash', display_name: 'Bash', extension: '.sh' },
};
