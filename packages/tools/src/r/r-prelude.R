# Runs after `args`, `input_data` and `context` have been bound, and removes the kernel's own names. An argument
# `result` is outside the global environment, so that it does not count as the result of the code.

rm(list = c("woof", "parameters"), envir = globalenv())
local({
  own <- c("", "args", "input_data", "context", "result")
  for (name in setdiff(names(args), own)) assign(name, args[[name]], globalenv())
})
if ("result" %in% names(args)) attach(args["result"], name = "arguments", warn.conflicts = FALSE)
q <- quit <- function(...) stop("the code called quit(); let the code end instead", call. = FALSE)
.woof_main <- function() {
  wanted <- names(formals(get("main", globalenv())))
  whole <- intersect(c("args", "input_data", "context"), wanted)
  given <- if ("..." %in% wanted) names(args) else intersect(names(args), wanted)
  one <- sapply(setdiff(given, c("", whole)), function(name) call("[[", as.name("args"), name), simplify = FALSE)
  eval(as.call(c(as.name("main"), one, sapply(whole, as.name, simplify = FALSE))), globalenv())
}
