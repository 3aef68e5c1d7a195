/** Who may do what, and who did what. */
import { Audit } from './audit.tsx';
import { Tokens } from './tokens.tsx';

export function Access() {
  return (
    <>
      <h1>Tokens and audit</h1>
      <Tokens />
      <Audit />
    </>
  );
}
