/** The files that a page of a notebook is made of: the notebook, and what stands beside it. */
export interface NotebookFiles {
  /** Its name, without folders. */
  name: string;
  text: string;
  /** A file below the notebook's folder; undefined where there is none, or where a link leads elsewhere. */
  read(path: string): Uint8Array | undefined;
}

/** Larger pictures and displays stay where they are, and the page says so. */
const LARGEST_FILE = 5 * 1024 * 1024;
/** It holds the outputs of all cells. A bundle only names what is over its own limit. */
const LARGEST_SIDECAR = 40 * 1024 * 1024;

const LONGEST_NAME = 200;

/** Those that were asked for are kept: they are the sources of the page. */
export class FilesBeside {
  readonly used = new Map<string, Uint8Array>();
  /** Named, and not there, elsewhere or too large. */
  readonly absent = new Set<string>();

  constructor(private readonly files: NotebookFiles) {}

  read(path: string): Uint8Array | undefined {
    const known = this.used.get(path);
    if (known !== undefined) return known;
    return this.#keep(path, isBelow(path) ? this.files.read(path) : undefined, LARGEST_FILE);
  }

  /** Named, and no file beside the notebook. */
  leaveOut(path: string): void {
    this.absent.add(path.length > LONGEST_NAME ? `${path.slice(0, LONGEST_NAME)}…` : path);
  }

  /** A notebook that never ran has none. */
  readSidecar(): Uint8Array | undefined {
    const path = `${this.files.name}.out`;
    const bytes = this.files.read(path);
    return bytes && this.#keep(path, bytes, LARGEST_SIDECAR);
  }

  #keep(path: string, bytes: Uint8Array | undefined, most: number): Uint8Array | undefined {
    if (bytes === undefined || bytes.length > most) {
      this.absent.add(path);
      return undefined;
    }
    this.used.set(path, bytes);
    return bytes;
  }
}

/** Names of a folder may not lead out of it, nor into what is hidden. */
function isBelow(path: string): boolean {
  return (
    path !== '' &&
    path.split('/').every((part) => part !== '' && !part.startsWith('.') && !/[\\:\0]/.test(part))
  );
}
