/** The wording of denials in all languages: what is missing, and where to add it. Drivers receive it in `hello`. */
import type { SandboxPolicy } from '@woof/sandbox';

/** The text after the name of the refused action. `outside` follows a path that no permission opens. */
export type Denials = Readonly<Record<'files' | 'network' | 'shell' | 'outside', string>>;

const SIDEFX = { files: 'fs', network: 'net', shell: 'shell' } as const;

/** `allowed`: what the notebook or the user at the terminal allows, so that a denial names only what is missing. */
export function cellDenials(allowed?: SandboxPolicy): Denials {
  const words = (key: keyof typeof SIDEFX) => {
    const cell = `is not allowed in this cell: add sidefx=${SIDEFX[key]} to the cell`;
    if (allowed?.[`allow_${key}`]) return cell;
    const implied = key === 'files' ? ' (sidefx=shell includes it)' : '';
    return `${cell}${implied}, and set io_policy.allow_${key}: true in the notebook's header (or run with --allow ${key})`;
  };
  return {
    files: words('files'),
    network: words('network'),
    shell: words('shell'),
    outside:
      "is not allowed: sidefx=fs with io_policy.allow_files allows only files in the notebook's folder",
  };
}
