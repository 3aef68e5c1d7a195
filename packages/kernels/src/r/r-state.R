# Saves the state of an R session as text, for a session with other permissions: the global environment, attached
# packages, options that can be serialised, the working directory. Connections and pointers into libraries are left
# behind.

# Uses raw bytes throughout: character vectors would take ten times as long.
alphabet <- charToRaw(paste(c(LETTERS, letters, 0:9, "+", "/"), collapse = ""))
base64 <- function(bytes) {
  pad <- (3 - length(bytes) %% 3) %% 3
  m <- matrix(as.integer(c(bytes, raw(pad))), nrow = 3)
  second <- m[1, ] %% 4L * 16L + m[2, ] %/% 16L
  third <- m[2, ] %% 16L * 4L + m[3, ] %/% 64L
  out <- alphabet[rbind(m[1, ] %/% 4L, second, third, m[3, ] %% 64L) + 1L]
  if (pad > 0) out[length(out) - seq_len(pad) + 1] <- charToRaw("=")
  rawToChar(out)
}
unbase64 <- function(text) {
  codes <- charToRaw(text)
  pad <- sum(utils::tail(codes, 2) == charToRaw("="))
  values <- integer(256)
  values[as.integer(alphabet) + 1L] <- 0:63
  m <- matrix(values[as.integer(codes) + 1L], nrow = 4)
  out <- as.raw(rbind(m[1, ] * 4L + m[2, ] %/% 16L, m[2, ] %% 16L * 16L + m[3, ] %/% 4L, m[3, ] %% 4L * 64L + m[4, ]))
  out[seq_len(length(out) - pad)]
}
is_plain <- function(value) is.atomic(value) || is.null(value)
save_state <- function() {
  state <- list(
    values = mget(setdiff(ls(globalenv(), all.names = TRUE), ".woof"), globalenv()),
    packages = sub("^package:", "", grep("^package:", search(), value = TRUE)),
    options = Filter(is_plain, options()), folder = getwd(), bound = bound)
  bytes <- serialize(state, NULL)
  if (length(bytes) > 64 * 2^20) {
    stop("the variables of earlier cells are too large to move to a process with other permissions: ",
      "they have more than 64 MiB")
  }
  paste0(",\"value\":\"", base64(bytes), "\"")
}
load_state <- function(text) {
  state <- unserialize(unbase64(text))
  for (name in setdiff(rev(state$packages), sub("^package:", "", search())))
    suppressWarnings(suppressMessages(require(name, character.only = TRUE, quietly = TRUE)))
  options(state$options)
  if (dir.exists(state$folder)) try(setwd(state$folder), silent = TRUE)
  bound <<- state$bound
  list2env(state$values, globalenv())
  ""
}
