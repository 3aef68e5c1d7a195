import { expect, it } from 'vitest';
import { cellDenials } from './denial.ts';
import { NETWORK } from './kernel-case.ts';

it('a denial names what the notebook does not allow yet, and what it allows only for the cell', () => {
  expect(cellDenials(NETWORK)).toMatchObject({
    network: 'is not allowed in this cell: it needs sidefx=net in the header of the cell',
    shell:
      'is not allowed in this cell: it needs sidefx=shell in the header of the cell, and io_policy.allow_shell: true in the header of the notebook (or --allow shell)',
  });
});
