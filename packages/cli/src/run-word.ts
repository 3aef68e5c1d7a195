/** The id of a nested run begins with that of its caller. */
const RUN = /^(last|\d{8}-\d{6}(-[a-z\d]+)+)$/;

/** Whether the word names a run and is no likely name of a file. */
export const isRunWord = (word: string): boolean => RUN.test(word);
