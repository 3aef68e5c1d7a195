# Makes a forbidden call of an R cell fail with the name of the policy. Otherwise `system()` without a shell would only
# return a status, a socket without a network would give the system's message, and `dir.create()` without files would
# return FALSE. The boundary is the sandbox; this only gives clear messages.

refuse <- function(what, words) {
  condition <- list(message = paste(what, words), call = NULL)
  stop(structure(condition, class = c("PolicyError", "error", "condition")))
}
homes <- function(name) {
  packages <- c("utils", "grDevices")
  attached <- lapply(paste0("package:", packages), as.environment)
  places <- c(list(baseenv()), lapply(packages, asNamespace), attached)
  Filter(function(home) exists(name, home, inherits = FALSE), places)
}
put <- function(name, value) {
  for (home in homes(name)) {
    unlockBinding(name, home)
    assign(name, value, home)
    lockBinding(name, home)
  }
}
deny <- function(functions, what, words) for (name in functions) put(name, function(...) refuse(what, words))
# Wraps each function: check() receives the paths, from the given expression, before anything else happens.
guard <- function(functions, check) {
  for (name in names(functions)) for (home in utils::head(homes(name), 1)) {
    guarded <- get(name, home)
    body(guarded) <- bquote({
      .(check)(.(functions[[name]]))
      .(body(guarded))
    })
    put(name, guarded)
  }
}

set_policy <- function(q) {
  words <- q$denials
  within <- function(path, folder) path == folder || startsWith(path, paste0(folder, "/"))
  full <- function(path) {
    folder <- normalizePath(dirname(path.expand(path)), mustWork = FALSE)
    file.path(if (startsWith(folder, "/")) folder else file.path(getwd(), folder), basename(path))
  }
  is_own <- function(path) within(path, q$workdir) && !(within(q$tmp, q$workdir) && within(path, q$tmp))
  check_paths <- function(paths) {
    for (path in paths) {
      if (!is.character(path) || is.na(path) || path == "") next
      if (is_own(full(path))) refuse(paste("access to the file", path), words$files)
    }
  }
  # A library may be in the document's folder. Its packages are readable without files.
  libraries <- normalizePath(c(.libPaths(), R.home()), mustWork = FALSE)
  is_package <- function(path) any(vapply(libraries, within, NA, path = full(path)))
  check_source <- function(source) {
    description <- source$description
    if (!is.character(description)) return(invisible())
    remote <- grepl("^(https?|ftps?)://", description, ignore.case = TRUE)
    if (any(remote) && !q$policy$allow_network) refuse("network access", words$network)
    paths <- sub("^file://", "", description[!remote & description != "stdin"])
    reads <- !any(grepl("[wa+]", source$open))
    if (!q$policy$allow_files) check_paths(if (reads) Filter(Negate(is_package), paths) else paths)
  }

  programs <- c("system", "system2", "shell", "pipe", "fifo")
  sockets <- c("socketConnection", "serverSocket", "socketAccept", "make.socket", "nsl")
  remotes <- c("url", "download.file", "url.show", "curlGetHeaders")
  if (!q$policy$allow_shell) deny(programs, "starting another program", words$shell)
  if (!q$policy$allow_network) deny(c(sockets, remotes), "network access", words$network)
  opened <- quote(list(description = description, open = open))
  guard(list(file = opened, gzfile = opened, bzfile = opened, xzfile = opened), check_source)
  if (!q$policy$allow_files) guard(alist(
    dir.create = path, file.create = c(...), file.copy = to, file.rename = to, file.symlink = to, file.link = to,
    file.append = file1,
    png = filename, jpeg = filename, tiff = filename, bmp = filename, svg = filename, cairo_pdf = filename,
    pdf = if (missing(file)) "Rplots.pdf" else file, postscript = if (missing(file)) "Rplots.ps" else file
  ), check_paths)
}
