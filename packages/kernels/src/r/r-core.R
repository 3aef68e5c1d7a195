# The R driver, in base R only.
#
# R cannot open an arbitrary descriptor. So requests arrive on stdin, as R expressions that the host wrote, and messages
# go to stdout after the token of their request. Every visible value at the top level of a cell is printed, and the last
# one is the result. Each plot is a PNG file, displayed at the end of the cell.

here <- environment()
n <- 0L
token <- ""
marks <- 0L
plots <- ""
running <- FALSE
rs <- rawToChar(as.raw(30))

raw_out <- function(text) {
  cat(text, file = stdout())
  flush(stdout())
}
send <- function(kind, fields = "") {
  head <- paste0("{\"n\":", n, ",\"token\":\"", token, "\",\"kind\":\"", kind, "\"")
  raw_out(paste0(rs, token, "ffffffff", rs, head, fields, "}\n"))
}
mark <- function() {
  marks <<- marks + 1L
  sign <- sprintf("%s%s%08x%s", rs, token, marks, rs)
  raw_out(sign)
  cat(sign, file = stderr())
  send("mark", sprintf(",\"mark\":%d", marks))
}
emit <- function(kind, data) {
  mark()
  fields <- paste0(quote_json(names(data)), ":", quote_json(unlist(data)), collapse = ",")
  send("output", paste0(",\"output\":{\"output_type\":\"", kind, "\",\"data\":{", fields, "},\"metadata\":{}}"))
  mark()
}
# What sink() diverts would divert our messages too.
show <- function(kind, value) {
  text <- paste(utils::capture.output(print(value)), collapse = "\n")
  if (sink.number() > 0 || !running) return(writeLines(text))
  if (kind == "execute_result") show_plots()
  emit(kind, c(list("text/plain" = text), html_of(value)))
}
html_of <- function(value) {
  if (!is.data.frame(value) || ncol(value) == 0) return(NULL)
  safe <- function(text) gsub("<", "&lt;", gsub("&", "&amp;", text, fixed = TRUE), fixed = TRUE)
  shown <- utils::head(value, 100)
  # Row names that are only numbers are not shown.
  named <- is.character(attr(value, "row.names"))
  head <- paste0("<th>", c(if (named) "", safe(names(value))), "</th>", collapse = "")
  cells <- do.call(cbind, lapply(shown, function(column) paste0("<td>", safe(format(column)), "</td>")))
  if (named) cells <- cbind(paste0("<th>", safe(row.names(shown)), "</th>"), cells)
  rows <- paste0("<tr>", apply(cells, 1, paste, collapse = ""), "</tr>", collapse = "")
  if (nrow(shown) == 0) rows <- ""
  list("text/html" = paste0("<table><tr>", head, "</tr>", rows, "</table>"))
}

show_plots <- function() {
  while (grDevices::dev.cur() > 1) grDevices::dev.off()
  for (file in sort(list.files(plots, full.names = TRUE))) {
    size <- file.info(file)$size
    if (size > 0) emit("display_data", list("image/png" = base64(readBin(file, "raw", size))))
    unlink(file)
  }
}

# Calls in a cell's own code carry their position in it.
own_lines <- function(calls, cell, top) {
  places <- c(list(top), lapply(calls, attr, "srcref"))
  lines <- unlist(lapply(places, function(place) {
    source <- attr(place, "srcfile")
    if (is.null(source) || !identical(source$filename, cell)) return(NULL)
    sprintf("%s:%d: %s", cell, place[1], trimws(getSrcLines(source, place[1], place[1])))
  }))
  utils::head(unique(lines), 100)
}
failure <- function(e, lines = character()) {
  kind <- if (inherits(e, "simpleError")) "Error" else class(e)[1]
  text <- paste(conditionMessage(e), collapse = "\n")
  call <- conditionCall(e)
  ours <- !is.null(call) && !is.function(call[[1]]) && as.character(call[[1]])[1] %in% c("parse", "eval", "withVisible")
  if (!is.null(call) && !ours) text <- paste0("in ", deparse(call)[1], ": ", text)
  all <- paste(quote_json(c(lines, paste0(kind, ": ", text))), collapse = ",")
  fields <- paste0("\"ename\":", quote_json(kind), ",\"evalue\":", quote_json(text), ",\"traceback\":[", all, "]")
  paste0(",\"error\":{\"output_type\":\"error\",", fields, "}")
}

run <- function(cell, code) {
  name <- paste0("<", cell, ">")
  top <- NULL
  lines <- character()
  running <<- TRUE
  fields <- tryCatch({
    source <- srcfilecopy(name, strsplit(code, "\n", fixed = TRUE)[[1]])
    expressions <- parse(text = code, keep.source = TRUE, srcfile = source)
    places <- attr(expressions, "srcref")
    for (i in seq_along(expressions)) {
      top <- places[[i]]
      got <- withCallingHandlers(withVisible(eval(expressions[[i]], globalenv())),
        error = function(e) lines <<- own_lines(sys.calls(), name, top),
        warning = function(w) {
          cat("Warning:", conditionMessage(w), "\n", file = stderr())
          invokeRestart("muffleWarning")
        })
      if (!got$visible) next
      if (i == length(expressions)) show("execute_result", got$value) else print(got$value)
    }
    ""
  }, error = function(e) failure(e, lines))
  while (sink.number() > 0) sink()
  fields <- tryCatch({
    show_plots()
    fields
  }, error = function(e) if (fields == "") failure(e) else fields)
  running <<- FALSE
  mark()
  fields
}

commands <- list(
  hello = function(q) {
    eval(parse(text = q$parts, keep.source = FALSE), here)
    set_policy(q)
    plots <<- file.path(q$tmp, "woof-plots")
    dir.create(plots, showWarnings = FALSE)
    pages <- file.path(plots, "plot-%03d.png")
    png <- function(...) grDevices::png(pages, width = 960, height = 720, res = 144, type = "cairo")
    options(device = png, warn = 1)
    leave <- function(...) stop("the cell called quit(); the kernel continues", call. = FALSE)
    display <- function(value) invisible(show("display_data", value))
    attach(list(q = leave, quit = leave, display = display), name = "woof", warn.conflicts = FALSE)
    assign("parameters", q$parameters, globalenv())
    assign("woof", list(parameters = q$parameters), globalenv())
    ""
  },
  run = function(q) run(q$cell, q$code),
  bind = function(q) {
    bind_value(q$id, q$value, q$tables, q$gentle)
    ""
  },
  read = function(q) read_value(q$name, isTRUE(q$tables)),
  save = function(q) save_state(),
  load = function(q) load_state(q$state)
)

# A cell's closeAllConnections() closes this one too.
listen <- function() input <<- file("stdin", "r", encoding = "UTF-8")
take <- function() readLines(input, 1, warn = FALSE)
input <- listen()
repeat {
  line <- tryCatch(take(), error = function(e) {
    listen()
    take()
  })
  if (length(line) == 0) break
  q <- eval(parse(text = line, keep.source = FALSE))
  n <- q$n
  token <- q$token
  marks <- 0L
  fields <- tryCatch(commands[[q$do]](q), error = function(e) failure(e))
  send("end", fields)
}
