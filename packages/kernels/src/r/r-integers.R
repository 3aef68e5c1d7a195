# Integers that R's numbers cannot hold: their digits as text, with the class `exact_integer`. They compare and sort by
# value. R cannot compute with them, so arithmetic is an error instead of a rounded number.

exact_integer <- function(x) {
  if (inherits(x, "exact_integer")) {
    digits <- unclass(x)
  } else if (is.object(x) || is.character(x) || is.null(x)) {
    digits <- as.character(x)
  } else {
    lost <- !is.na(x) & (x != trunc(x) | abs(x) > 2^53)
    if (any(lost)) stop("exact_integer: ", x[lost][1], " is not a whole number up to 2^53; give the digits as text")
    digits <- whole_digits(x)
  }
  odd <- !is.na(digits) & !grepl("^-?(0|[1-9][0-9]*)$", digits)
  if (any(odd)) stop("exact_integer: expected digits, got \"", digits[odd][1], "\"")
  digits[!is.na(digits) & digits == "-0"] <- "0"
  structure(digits, names = names(x), class = "exact_integer")
}
whole_digits <- function(x) {
  digits <- sub("^-0$", "0", sprintf("%.0f", trunc(x)))
  digits[!is.finite(x)] <- NA
  digits
}

integer_ranks <- function(digits) {
  sign <- ifelse(startsWith(digits, "-"), -1, 1)
  size <- sub("^-", "", digits)
  alike <- match(size, sort(unique(size), method = "radix"))
  ranks <- match(digits, unique(digits[order(sign, sign * nchar(size), sign * alike)]))
  ranks[is.na(digits)] <- NA
  ranks
}
# -1, 0 or 1 for each pair. Either side may be ordinary numbers, which compare by their exact value.
compare_integers <- function(a, b) {
  is_number <- function(x) is.numeric(x) || is.logical(x)
  if (is_number(a)) return(-compare_integers(b, a))
  n <- if (length(a) == 0 || length(b) == 0) 0 else max(length(a), length(b))
  digits <- function(x) rep_len(if (is_number(x)) whole_digits(x) else unclass(exact_integer(x)), n)
  ranks <- integer_ranks(c(digits(a), digits(b)))
  result <- sign(ranks[seq_len(n)] - ranks[n + seq_len(n)])
  if (!is_number(b)) return(result)
  number <- rep_len(as.numeric(b), n)
  ties <- !is.na(result) & result == 0
  result[ties] <- sign(trunc(number[ties]) - number[ties])
  endless <- is.infinite(number) & !is.na(rep_len(unclass(a), n))
  result[endless] <- -sign(number[endless])
  result
}

refuse_arithmetic <- function(what) {
  stop(what, " of an exact_integer: R cannot compute exactly beyond 2^53. as.numeric(x) loses digits; ",
    "gmp::as.bigz(as.character(x)) of the package gmp computes exactly", call. = FALSE)
}
integer_methods <- list(
  Ops = function(e1, e2) {
    if (!.Generic %in% c("==", "!=", "<", "<=", ">", ">=")) refuse_arithmetic(paste0("`", .Generic, "`"))
    is_text <- function(x) is.character(x) && !is.object(x)
    if (.Generic %in% c("==", "!=") && (is_text(e1) || is_text(e2)))
      return(get(.Generic)(as.character(e1), as.character(e2)))
    get(.Generic)(compare_integers(e1, e2), 0)
  },
  Math = function(x, ...) refuse_arithmetic(paste0(.Generic, "()")),
  mean = function(x, ...) refuse_arithmetic("mean()"),
  seq = function(from, ...) {
    if (nargs() == 1 && length(from) != 1) seq_along(from) else refuse_arithmetic("seq()")
  },
  Summary = function(..., na.rm = FALSE) {
    if (!.Generic %in% c("min", "max", "range")) refuse_arithmetic(paste0(.Generic, "()"))
    x <- exact_integer(unlist(lapply(list(...), function(part) unclass(exact_integer(part)))))
    if (na.rm) x <- x[!is.na(x)]
    if (length(x) == 0) warning("no non-missing arguments to ", .Generic, "; returning NA", call. = FALSE)
    if (length(x) == 0 || anyNA(x)) return(exact_integer(rep(NA_character_, if (.Generic == "range") 2 else 1)))
    sorted <- sort(x)
    sorted[c(if (.Generic != "max") 1, if (.Generic != "min") length(sorted))]
  },
  "[" = function(x, ...) structure(NextMethod(), class = "exact_integer"),
  "[[" = function(x, ...) structure(NextMethod(), class = "exact_integer"),
  "[<-" = function(x, ..., value) {
    value <- unclass(exact_integer(value))
    structure(NextMethod(.Generic), class = "exact_integer")
  },
  "[[<-" = function(x, ..., value) {
    value <- unclass(exact_integer(value))
    structure(NextMethod(.Generic), class = "exact_integer")
  },
  c = function(...) exact_integer(unlist(lapply(list(...), function(part) unclass(exact_integer(part))))),
  rep = function(x, ...) structure(NextMethod(), class = "exact_integer"),
  unique = function(x, ...) structure(NextMethod(), class = "exact_integer"),
  xtfrm = function(x) integer_ranks(unclass(x)),
  as.list = function(x, ...) lapply(unclass(x), structure, class = "exact_integer"),
  as.data.frame = as.data.frame.vector,
  format = function(x, ...) format(unclass(x), ...),
  print = function(x, ...) {
    print(unclass(x), quote = FALSE, right = TRUE)
    invisible(x)
  }
)
for (generic in names(integer_methods))
  registerS3method(generic, "exact_integer", integer_methods[[generic]], baseenv())
attach(list(exact_integer = exact_integer), name = "woof-integers", warn.conflicts = FALSE)
