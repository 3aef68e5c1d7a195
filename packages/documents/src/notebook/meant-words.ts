/** Words that other tools use for types, tokens and permissions of notebooks. */
import { hintWith } from '../meant-word.ts';

const TYPES = {
  markdown: 'md',
  text: 'raw',
  python: 'code',
  py: 'code',
  json: 'data',
  yaml: 'data',
  chart: 'viz',
  plot: 'viz',
  sh: 'bash',
  shell: 'bash',
};

const TOKENS = {
  depends: 'deps',
  depends_on: 'deps',
  dependencies: 'deps',
  needs: 'deps',
  effects: 'sidefx',
  permissions: 'sidefx',
  title: 'name',
  label: 'name',
};

const POLICY = {
  files: 'allow_files',
  fs: 'allow_files',
  network: 'allow_network',
  net: 'allow_network',
  shell: 'allow_shell',
};

export const typeHint = hintWith(TYPES);
export const tokenHint = hintWith(TOKENS);
export const headerHint = hintWith(POLICY);
