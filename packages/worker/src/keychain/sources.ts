/** Where the values of secrets come from. What a process passes in here decides what its documents may reach. */
export interface SecretSources {
  /** The fields of a secret in the encrypted store. */
  stored(name: string): Promise<Record<string, string> | undefined>;
  /**
   * The environment and the files of a person who runs their own document. Absent if documents of others run: whoever
   * may start one there must not be able to read the machine with it.
   */
  machine?: {
    env: Record<string, string | undefined>;
    /** Folders besides the document's own that may contain secrets. */
    folders: readonly string[];
    /** The data directory: no document may read the sealed secrets there, or their key. */
    hidden: string;
  };
  /** How a person sets a secret here, for messages. */
  howToSet(name: string, fields: readonly string[]): string;
  now(): number;
}
