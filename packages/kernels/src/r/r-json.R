# Converts R values to JSON and back, in base R: for the driver, and for Jupyter's R kernels.

quote_json <- function(text) {
  if (length(text) == 0) return(character(0))
  text <- iconv(enc2utf8(as.character(text)), "UTF-8", "UTF-8", sub = "?")
  for (pair in list(c("\\", "\\\\"), c("\"", "\\\""), c("\n", "\\n"), c("\r", "\\r"), c("\t", "\\t")))
    text <- gsub(pair[1], pair[2], text, fixed = TRUE)
  paste0("\"", escape_controls(text), "\"")
}
# The last two end a line for some readers.
controls <- c(1:31, 127, 0x2028, 0x2029)
escape_controls <- function(text) {
  if (!any(grepl("[[:cntrl:]]", text))) return(text)
  for (code in controls)
    text <- gsub(intToUtf8(code), sprintf("\\u%04x", as.integer(code)), text, fixed = TRUE)
  text
}
# Each item of a vector. Missing and infinite values become null.
atoms <- function(v) {
  if (inherits(v, c("exact_integer", "bigz", "integer64"))) {
    items <- unclass(exact_integer(v))
    items[is.na(items)] <- "null"
    return(items)
  }
  if (is.factor(v) || inherits(v, c("Date", "POSIXt", "difftime"))) v <- as.character(v)
  items <- if (is.character(v)) quote_json(v)
    else if (is.logical(v)) ifelse(v, "true", "false")
    else if (is.integer(v)) sprintf("%d", v)
    else if (is.numeric(v)) shortest(v)
    else stop("not JSON")
  items[is.na(v) | (is.numeric(v) & !is.finite(v))] <- "null"
  items
}
# R has no integers from 2^31 on, but whole numbers count as integers if one of them has that size.
shortest <- function(v) {
  known <- v[!is.na(v)]
  if (all(known == trunc(known) & abs(known) < 2^53) && any(abs(known) >= 2^31)) return(sprintf("%.0f", v))
  short <- sprintf("%.15g", v)
  short <- ifelse(is.finite(v) & as.numeric(short) != v, sprintf("%.17g", v), short)
  ifelse(grepl("[.en]", short), short, paste0(short, ".0"))
}
object_json <- function(names, items) {
  if (length(items) == 0) return("{}")
  paste0("{", paste0(quote_json(names), ":", items, collapse = ","), "}")
}
list_json <- function(items) paste0("[", paste(items, collapse = ","), "]")
to_json <- function(v) {
  if (is.null(v)) return("null")
  if (is.data.frame(v)) {
    columns <- lapply(v, function(column) if (is.list(column)) vapply(column, to_json, "") else atoms(column))
    rows <- vapply(seq_len(nrow(v)), function(i) object_json(names(v), vapply(columns, "[", "", i)), "")
    return(list_json(rows))
  }
  if (!is.list(v) && !is.atomic(v)) stop("not JSON")
  items <- if (is.list(v)) vapply(unclass(v), to_json, "", USE.NAMES = FALSE) else atoms(v)
  if (!is.null(names(v))) return(object_json(names(v), items))
  if (is.atomic(v) && length(v) == 1) items else list_json(items)
}
columns_json <- function(v) object_json(names(v), vapply(v, function(column) list_json(atoms(column)), ""))

# The fields of an answer. Empty if the value does not exist or is not JSON.
read_value <- function(name, tables) {
  if (!exists(name, globalenv(), inherits = FALSE)) return("")
  value <- get(name, globalenv())
  if (is.function(value)) return("")
  tryCatch({
    if (tables && is.data.frame(value)) paste0(",\"table\":true,\"value\":", columns_json(value))
    else paste0(",\"value\":", to_json(value))
  }, error = function(e) "")
}
bound <- list()
bind_value <- function(id, value, tables, gentle) {
  for (name in names(tables)) value[[name]] <- as.data.frame(tables[[name]], optional = TRUE, stringsAsFactors = FALSE)
  woof <- get("woof", globalenv())
  woof[id] <- list(value)
  assign("woof", woof, globalenv())
  if (make.names(id) != id || id %in% c("parameters", "woof")) return(invisible())
  is_own <- exists(id, globalenv(), inherits = FALSE) && !identical(get(id, globalenv()), bound[[id]])
  if (gentle && is_own) return(invisible())
  bound[id] <<- list(value)
  assign(id, value, globalenv())
}
