/**
 * The R driver, in base R only.
 *
 * R can open no given descriptor, so requests come on stdin, as R expressions that the host wrote, and messages go into
 * stdout behind the token of their request. Every visible value at the top of a cell is printed; the last one is the
 * result. Plots go to a PNG file each and are displayed at the end of the cell.
 */
export const R_CORE = String.raw`
local({
  n <- 0L; token <- ""; marks <- 0L; tmp <- tempdir(); plots <- ""
  rs <- rawToChar(as.raw(30))

  quote_json <- function(text) {
    text <- enc2utf8(paste(text, collapse = "\n"))
    for (pair in list(c("\\", "\\\\"), c("\"", "\\\""), c("\n", "\\n"), c("\r", "\\r"), c("\t", "\\t")))
      text <- gsub(pair[1], pair[2], text, fixed = TRUE)
    paste0("\"", gsub("[[:cntrl:]]", "?", text), "\"")
  }
  raw_out <- function(text) { cat(text, file = stdout()); flush(stdout()) }
  send <- function(kind, fields = "")
    raw_out(sprintf("%s%sffffffff%s{\"n\":%d,\"token\":\"%s\",\"kind\":\"%s\"%s}\n", rs, token, rs, n, token, kind, fields))
  mark <- function() {
    marks <<- marks + 1L
    sign <- sprintf("%s%s%08x%s", rs, token, marks, rs)
    raw_out(sign); cat(sign, file = stderr())
    send("mark", sprintf(",\"mark\":%d", marks))
  }
  emit <- function(kind, mime, text) {
    mark()
    send("output", sprintf(",\"output\":{\"output_type\":\"%s\",\"data\":{\"%s\":%s},\"metadata\":{}}", kind, mime, quote_json(text)))
    mark()
  }

  base64 <- function(bytes) {
    letters64 <- c(LETTERS, letters, 0:9, "+", "/")
    pad <- (3 - length(bytes) %% 3) %% 3
    m <- matrix(as.integer(c(bytes, raw(pad))), nrow = 3)
    out <- letters64[rbind(m[1, ] %/% 4, m[1, ] %% 4 * 16 + m[2, ] %/% 16, m[2, ] %% 16 * 4 + m[3, ] %/% 64, m[3, ] %% 64) + 1]
    if (pad > 0) out[length(out) - seq_len(pad) + 1] <- "="
    paste(out, collapse = "")
  }
  show_plots <- function() {
    while (grDevices::dev.cur() > 1) grDevices::dev.off()
    for (file in sort(list.files(plots, full.names = TRUE))) {
      size <- file.info(file)$size
      if (size > 0) emit("display_data", "image/png", base64(readBin(file, "raw", size)))
      unlink(file)
    }
  }

  to_json <- function(v) {
    if (is.null(v)) return("null")
    if (is.factor(v) || inherits(v, c("Date", "POSIXt"))) v <- as.character(v)
    if (is.data.frame(v)) {
      rows <- lapply(seq_len(nrow(v)), function(i) to_json(lapply(as.list(v), function(column) column[[i]])))
      return(paste0("[", paste(rows, collapse = ","), "]"))
    }
    if (is.list(v) || (is.atomic(v) && (length(v) != 1 || !is.null(names(v))))) {
      items <- vapply(seq_along(v), function(i) to_json(unname(v[[i]])), "")
      if (is.null(names(v))) return(paste0("[", paste(items, collapse = ","), "]"))
      return(paste0("{", paste0(vapply(names(v), quote_json, ""), ":", items, collapse = ","), "}"))
    }
    if (is.character(v)) return(if (is.na(v)) "null" else quote_json(v))
    if (is.logical(v)) return(if (is.na(v)) "null" else if (v) "true" else "false")
    if (is.numeric(v)) return(if (is.finite(v)) format(v, digits = 17, trim = TRUE) else "null")
    stop("not JSON")
  }

  failure <- function(e, cell) {
    call <- conditionCall(e)
    where <- if (is.null(call)) character() else paste("in", deparse(call)[1])
    lines <- paste(vapply(c(paste0(class(e)[1], ": ", conditionMessage(e)), where, cell), quote_json, ""), collapse = ",")
    sprintf(",\"error\":{\"output_type\":\"error\",\"ename\":%s,\"evalue\":%s,\"traceback\":[%s]}",
      quote_json(class(e)[1]), quote_json(conditionMessage(e)), lines)
  }

  run <- function(cell, code) {
    fields <- tryCatch({
      source <- srcfilecopy(paste0("<", cell, ">"), strsplit(code, "\n", fixed = TRUE)[[1]])
      expressions <- parse(text = code, keep.source = TRUE, srcfile = source)
      for (i in seq_along(expressions)) {
        got <- withCallingHandlers(withVisible(eval(expressions[[i]], globalenv())),
          warning = function(w) { cat("Warning:", conditionMessage(w), "\n", file = stderr()); invokeRestart("muffleWarning") })
        if (!got$visible) next
        if (i == length(expressions)) emit("execute_result", "text/plain", utils::capture.output(print(got$value)))
        else print(got$value)
      }
      show_plots()
      ""
    }, error = function(e) failure(e, cell), interrupt = function(e) ",\"error\":{\"output_type\":\"error\",\"ename\":\"interrupt\",\"evalue\":\"\",\"traceback\":[]}")
    mark()
    fields
  }

  commands <- list(
    hello = function(q) {
      plots <<- file.path(q$tmp, "woof-plots")
      dir.create(plots, showWarnings = FALSE)
      options(device = function(...) grDevices::png(file.path(plots, "plot-%03d.png"), type = "cairo"), warn = 1)
      leave <- function(...) stop("the cell called quit(); the kernel goes on", call. = FALSE)
      attach(list(q = leave, quit = leave, display = function(value) emit("display_data", "text/plain", utils::capture.output(print(value)))), name = "woof")
      assign("parameters", q$parameters, globalenv())
      assign("woof", list(parameters = q$parameters), globalenv())
      ""
    },
    run = function(q) run(q$cell, q$code),
    bind = function(q) {
      woof <- get("woof", globalenv())
      woof[[q$id]] <- q$value
      assign("woof", woof, globalenv())
      if (make.names(q$id) == q$id && q$id != "parameters") assign(q$id, q$value, globalenv())
      ""
    },
    read = function(q) {
      if (!exists(q$name, globalenv(), inherits = FALSE)) return("")
      tryCatch(paste0(",\"value\":", to_json(get(q$name, globalenv()))), error = function(e) "")
    }
  )

  input <- file("stdin", "r", encoding = "UTF-8")
  repeat {
    line <- readLines(input, 1, warn = FALSE)
    if (length(line) == 0) break
    q <- eval(parse(text = line, keep.source = FALSE))
    n <- q$n; token <- q$token; marks <- 0L
    fields <- tryCatch(commands[[q$do]](q), error = function(e) failure(e, ""))
    send("end", fields)
  }
})
`;
