import { expect, it } from 'vitest';
import { cellDenials } from './cell-denials.ts';
import { NETWORK } from './kernel-case.ts';

it('a denial names what the notebook does not allow yet, and what only the cell must declare', () => {
  expect(cellDenials(NETWORK)).toMatchObject({
    network: 'is not allowed in this cell: add sidefx=net to the cell',
    files:
      "is not allowed in this cell: add sidefx=fs to the cell (sidefx=shell includes it), and set io_policy.allow_files: true in the notebook's header (or run with --allow files)",
    shell:
      "is not allowed in this cell: add sidefx=shell to the cell, and set io_policy.allow_shell: true in the notebook's header (or run with --allow shell)",
  });
});
