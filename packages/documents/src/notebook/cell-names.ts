/** What the text of a cell tells about names that cells share. */
export interface CellNames {
  /** Bound at the top level. */
  defined: Set<string>;
  /** Read while the cell runs but bound nowhere in it, with the offset of the first read. */
  used: Map<string, number>;
  /** Whether the code may define names that its text does not show: a star import, `exec`, `globals`. */
  isOpen: boolean;
}
