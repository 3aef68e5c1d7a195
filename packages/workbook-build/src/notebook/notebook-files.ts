/** The files that a notebook's page is built from: the notebook, and the files beside it. */
export interface NotebookFiles {
  /** Its name, without folders. */
  name: string;
  text: string;
  /** A file below the notebook's folder; undefined if there is none, or if a link leads elsewhere. */
  read(path: string): Uint8Array | undefined;
}

/** Larger pictures and displays are left out, and the page says so. */
const LARGEST_FILE = 5 * 1024 * 1024;
/** It contains the outputs of all cells. A bundle only names files over its own limit. */
const LARGEST_SIDECAR = 40 * 1024 * 1024;

const LONGEST_NAME = 200;

/** Keeps the files that were requested: they are the sources of the page. */
export class FilesBeside {
  readonly used = new Map<string, Uint8Array>();
  /** Files that are named but missing, elsewhere or too large. */
  readonly absent = new Set<string>();

  constructor(private readonly files: NotebookFiles) {}

  read(path: string): Uint8Array | undefined {
    const known = this.used.get(path);
    if (known !== undefined) return known;
    return this.#keep(path, isBelow(path) ? this.files.read(path) : undefined, LARGEST_FILE);
  }

  /** For a path that is named but is not a file beside the notebook. */
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

/** Paths may not lead out of the folder, nor into hidden files. */
function isBelow(path: string): boolean {
  return (
    path !== '' &&
    path.split('/').every((part) => part !== '' && !part.startsWith('.') && !/[\\:\0]/.test(part))
  );
}
