/** The R code around that of a task: what gives it its arguments, and what finds its result. */
export { default as PRELUDE } from './r-prelude.R?raw';

/** Whether there is a result: a variable that holds NULL is one. */
export const GIVEN = '.woof_given';

/** It runs after the code of the task, on lines behind it: traces leave them out. */
export const POSTLUDE = `
${GIVEN} <- exists("result", globalenv(), inherits = FALSE)
if (!${GIVEN} && exists("main", globalenv(), mode = "function", inherits = FALSE)) {
  result <- .woof_main()
  ${GIVEN} <- TRUE
}
`;
