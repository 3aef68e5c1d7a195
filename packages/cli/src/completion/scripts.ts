import bash from './woof.bash?raw';
import fish from './woof.fish?raw';
import zsh from './woof.zsh?raw';

/** What each shell has to know: it asks woof for the words that fit, one per line. A folder ends with a slash. */
export const SHELLS = { bash, zsh, fish } as const;
