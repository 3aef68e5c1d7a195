// The part of the JavaScript driver that reads and writes JSON: an int that does not fit in a number becomes a bigint,
// and vice versa. JavaScript has one kind of number, so 1.0 is 1. A number beyond the exact ints is a float.
//
// `JSON` sees such an int as a string with a prefix that no cell can know, and a key with an escape likewise: V8 12.8
// and later may confuse it with a key that ends in a backslash (https://github.com/nodejs/node/issues/63785).

const { parse, stringify } = JSON;
const MARK = require('node:crypto').randomBytes(16).toString('hex');
const MARKED = new RegExp(`"${MARK}(-?\\d+(?:\\.0)?)"`, 'g');
const COLON = /\s*:/y;
const LONG = /"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

const { isMap, isSet, isTypedArray } = require('node:util').types;

function encode(value) {
  try {
    const text = stringify(value);
    if (text === undefined || !DOUBTFUL.test(text)) return text;
  } catch (error) {
    if (!/BigInt/.test(error.message)) throw error;
  }
  // `this[key]` is a Buffer before its `toJSON`.
  const replacer = function (key, item) {
    return plain(isTypedArray(this[key]) ? this[key] : item);
  };
  return stringify(value, replacer)?.replace(MARKED, '$1');
}

/** What `JSON` may have written wrongly: empty objects, objects with a key 0, buffers, long ints. */
const DOUBTFUL = /\{\}|\{"0":|\{"type":"Buffer"|\d{16}/;

function plain(item) {
  if (typeof item === 'bigint') return MARK + digitsOf(item);
  if (Number.isInteger(item) && !Number.isSafeInteger(item) && Math.abs(item) < 1e21)
    return `${MARK}${item}.0`;
  if (isSet(item) || isTypedArray(item)) return [...item];
  if (!isMap(item)) return item;
  const entries = [...item];
  return entries.every(([key]) => typeof key === 'string') ? Object.fromEntries(entries) : entries;
}

function digitsOf(value) {
  const text = String(value);
  if (text.length > 4300) throw new RangeError('an integer has more than 4,300 digits');
  return text;
}

function decode(text) {
  if (!/\d{16}|\\.[^"\\]*"\s*:/s.test(text)) return parse(text);
  let marked = '',
    from = 0;
  LONG.lastIndex = 0;
  for (let found = LONG.exec(text); found; found = LONG.exec(text)) {
    let hidden = found[0];
    if (hidden === '"') {
      LONG.lastIndex = endOfString(text, found.index) + 1;
      const string = text.slice(found.index, LONG.lastIndex);
      if (!string.includes('\\') || !isKey(text, LONG.lastIndex)) continue;
      hidden = Buffer.from(parse(string), 'utf16le').toString('hex');
    }
    marked += `${text.slice(from, found.index)}"${MARK}${hidden}"`;
    from = LONG.lastIndex;
  }
  if (from === 0) return parse(text);
  return parse(marked + text.slice(from), (_, item) => {
    if (isMarked(item)) return int(item.slice(MARK.length));
    if (typeof item !== 'object' || item === null || !Object.keys(item).some(isMarked)) return item;
    return Object.fromEntries(Object.entries(item).map(([key, value]) => [shownKey(key), value]));
  });
}

const isMarked = (item) => typeof item === 'string' && item.startsWith(MARK);

const shownKey = (key) =>
  isMarked(key) ? Buffer.from(key.slice(MARK.length), 'hex').toString('utf16le') : key;

/** Whether the string before this position is a key. */
function isKey(text, at) {
  COLON.lastIndex = at;
  return COLON.test(text);
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
