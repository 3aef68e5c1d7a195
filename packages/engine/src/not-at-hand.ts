import type { Reference } from '@woof/net';

/** A decision read a value that is stored elsewhere: it is void, and made again when the value is loaded. */
export class NotAtHand extends Error {
  constructor(readonly references: Reference[]) {
    super('a value must be read from another store');
  }
}
