/** What the text of a cell says of names that cells share. */
export interface CellNames {
  /** Bound at the top level. */
  defined: Set<string>;
  /** Read while the cell runs and bound nowhere in it, with the place of the first reading. */
  used: Map<string, number>;
  /** Whether names may come that nobody can see in the text: a star import, `exec`, `globals`. */
  isOpen: boolean;
}
