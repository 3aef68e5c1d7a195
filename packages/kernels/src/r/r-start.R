# What R needs before its packages load. `utils` asks the system's `which` where programs are, through a shell that the
# sandbox may not show, and does not load without an answer. This version searches by itself.

which <- function(names) {
  folders <- strsplit(Sys.getenv("PATH"), ":", fixed = TRUE)[[1]]
  find <- function(name) {
    paths <- if (grepl("/", name, fixed = TRUE)) name else file.path(folders, name)
    paths <- paths[file.access(paths, 1L) == 0L]
    if (length(paths) == 0) "" else paths[1]
  }
  vapply(as.character(names), find, "")
}
environment(which) <- baseenv()
unlockBinding("Sys.which", baseenv())
assign("Sys.which", which, baseenv())
lockBinding("Sys.which", baseenv())
for (name in c("methods", "datasets", "utils", "grDevices", "graphics", "stats"))
  suppressWarnings(library(name, character.only = TRUE))
