// The part of the JavaScript driver that reads and writes JSON: an int that does not fit in a number becomes a bigint,
// and vice versa. JavaScript has one kind of number, so 1.0 is 1.
//
// `JSON` sees such an int as a string with a prefix that no cell can know.

const { parse, stringify } = JSON;
const MARK = require('node:crypto').randomBytes(16).toString('hex');
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, 'g');
const LONG = /"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

function encode(value) {
  try {
    return stringify(value);
  } catch (error) {
    if (!/BigInt/.test(error.message)) throw error;
  }
  return stringify(value, (_, item) => (typeof item === 'bigint' ? MARK + digitsOf(item) : item)).replace(
    MARKED,
    '$1',
  );
}

function digitsOf(value) {
  const text = String(value);
  if (text.length > 4300) throw new RangeError('an integer has more than 4,300 digits');
  return text;
}

function decode(text) {
  if (!/\d{16}/.test(text)) return parse(text);
  let marked = '',
    from = 0;
  LONG.lastIndex = 0;
  for (let found = LONG.exec(text); found; found = LONG.exec(text)) {
    if (found[0] === '"') {
      LONG.lastIndex = endOfString(text, found.index) + 1;
      continue;
    }
    marked += `${text.slice(from, found.index)}"${MARK}${found[0]}"`;
    from = LONG.lastIndex;
  }
  if (from === 0) return parse(text);
  return parse(marked + text.slice(from), (_, item) =>
    typeof item === 'string' && item.startsWith(MARK) ? int(item.slice(MARK.length)) : item,
  );
}

const int = (digits) => (Number.isSafeInteger(Number(digits)) ? Number(digits) : BigInt(digits));

function endOfString(text, from) {
  let end = text.indexOf('"', from + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text, at) {
  let slashes = 0;
  while (text[at - 1 - slashes] === '\\') slashes += 1;
  return slashes % 2 === 1;
}
