import bash from './woof.bash?raw';
import fish from './woof.fish?raw';
import zsh from './woof.zsh?raw';

/** What each shell needs: it asks woof for the matching words, one per line. A folder ends with a slash. */
export const SHELLS = { bash, zsh, fish } as const;
