/**
 * The state of an R session as text, for a session with other permissions: the global environment, attached packages,
 * options that can be written down, the folder. Connections and pointers into libraries stay behind.
 */
export const R_STATE = String.raw`
  letters64 <- c(LETTERS, letters, 0:9, "+", "/")
  base64 <- function(bytes) {
    pad <- (3 - length(bytes) %% 3) %% 3
    m <- matrix(as.integer(c(bytes, raw(pad))), nrow = 3)
    out <- letters64[rbind(m[1, ] %/% 4, m[1, ] %% 4 * 16 + m[2, ] %/% 16, m[2, ] %% 16 * 4 + m[3, ] %/% 64, m[3, ] %% 64) + 1]
    if (pad > 0) out[length(out) - seq_len(pad) + 1] <- "="
    paste(out, collapse = "")
  }
  unbase64 <- function(text) {
    codes <- utf8ToInt(text)
    pad <- sum(codes == 61L)
    m <- matrix(match(codes, utf8ToInt(paste(letters64, collapse = "")), nomatch = 1L) - 1L, nrow = 4)
    out <- as.raw(rbind(m[1, ] * 4 + m[2, ] %/% 16, m[2, ] %% 16 * 16 + m[3, ] %/% 4, m[3, ] %% 4 * 64 + m[4, ]))
    out[seq_len(length(out) - pad)]
  }
  is_plain <- function(value) is.atomic(value) || is.null(value)
  save_state <- function() {
    state <- list(
      values = mget(setdiff(ls(globalenv(), all.names = TRUE), ".woof"), globalenv()),
      packages = sub("^package:", "", grep("^package:", search(), value = TRUE)),
      options = Filter(is_plain, options()), folder = getwd(), bound = bound)
    bytes <- memCompress(serialize(state, NULL), "gzip")
    if (length(bytes) > 64 * 2^20) stop("the variables of the earlier cells are too large to move to a process with other permissions: more than 64 MiB")
    paste0(",\"value\":\"", base64(bytes), "\"")
  }
  load_state <- function(text) {
    state <- unserialize(memDecompress(unbase64(text), "gzip"))
    for (name in setdiff(rev(state$packages), sub("^package:", "", search())))
      suppressWarnings(suppressMessages(require(name, character.only = TRUE, quietly = TRUE)))
    options(state$options)
    if (dir.exists(state$folder)) try(setwd(state$folder), silent = TRUE)
    bound <<- state$bound
    list2env(state$values, globalenv())
    ""
  }
`;
