# Lints the R programs given as arguments. Parts of one program use each other's names, so usage is not checked.

if (!requireNamespace("lintr", quietly = TRUE)) {
  stop("the R package lintr is missing: run \"node scripts/setup.mjs --test\", or install the package r-cran-lintr")
}
linters <- lintr::linters_with_defaults(
  line_length_linter = lintr::line_length_linter(120),
  cyclocomp_linter = NULL,
  object_name_linter = NULL,
  object_usage_linter = NULL
)
found <- unlist(lapply(commandArgs(TRUE), lintr::lint, linters = linters), recursive = FALSE)
for (each in found) cat(sprintf("%s:%d %s\n", each$filename, each$line_number, each$message))
quit(status = if (length(found) > 0) 1 else 0)
