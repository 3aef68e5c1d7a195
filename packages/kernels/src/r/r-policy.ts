/**
 * What an R cell may not do fails with the name of the policy: `system()` without a shell would only return a status, and
 * a socket without a network the words of the system. The boundary is the sandbox; this is for clear messages.
 */
export const R_POLICY = `
  deny <- function(functions, what, sidefx, key) {
    message <- sprintf("%s is not allowed in this cell: add sidefx=%s to the cell, and set io_policy.allow_%s: true in the notebook's header (or run with --allow %s)", what, sidefx, key, key)
    refuse <- function(...) stop(structure(list(message = message, call = NULL), class = c("PolicyError", "error", "condition")))
    for (name in functions) for (package in c("base", "utils")) {
      homes <- c(list(asNamespace(package)), if (package != "base") list(as.environment(paste0("package:", package))))
      for (home in homes) if (exists(name, home, inherits = FALSE)) {
        unlockBinding(name, home)
        assign(name, refuse, home)
        lockBinding(name, home)
      }
    }
  }
  set_policy <- function(shell, network) {
    if (!shell) deny(c("system", "system2", "shell", "pipe", "fifo"), "starting another program", "shell", "shell")
    if (!network) deny(c("url", "socketConnection", "serverSocket", "socketAccept", "make.socket", "nsl", "download.file", "url.show", "curlGetHeaders"), "network access", "net", "network")
  }
`;
