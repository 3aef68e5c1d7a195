/** Where the values of secrets come from; what a process hands in says what its documents may reach. */
export interface SecretSources {
  /** The fields of a secret of the encrypted store. */
  stored(name: string): Promise<Record<string, string> | undefined>;
  /**
   * The environment and the files of a person who runs a document of their own. Absent where documents of others run:
   * whoever may start one there must not read the machine with it.
   */
  machine?: {
    env: Record<string, string | undefined>;
    /** Folders beside the document's own that secrets may lie in. */
    folders: readonly string[];
    /** The data directory: what is sealed there, and the key to it, are no document's business. */
    hidden: string;
  };
  /** How a person sets a secret here, for messages. */
  howToSet(name: string, fields: readonly string[]): string;
  now(): number;
}
