/** The R code around that of a task: it provides the arguments and finds the result. */
export { default as PRELUDE } from './r-prelude.R?raw';

/** Whether there is a result: a variable that contains NULL counts. */
export const GIVEN = '.woof_given';

/** Runs after the code of the task, on later lines, which traces leave out. */
export const POSTLUDE = `
${GIVEN} <- exists("result", globalenv(), inherits = FALSE)
if (!${GIVEN} && exists("main", globalenv(), mode = "function", inherits = FALSE)) {
  result <- .woof_main()
  ${GIVEN} <- TRUE
}
`;
