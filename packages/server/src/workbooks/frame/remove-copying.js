/*
 * `execCommand('copy')` is subject to no policy and needs only a click. The functions used here are captured before other
 * code can change them. A nested frame that is clicked has its own `execCommand`, and like any page, a workbook may choose
 * what Ctrl+C copies.
 */
function removeCopying() {
  const { apply } = Reflect;
  const lower = String.prototype.toLowerCase;
  const run = Document.prototype.execCommand;
  Document.prototype.execCommand = function (name, ui, value) {
    const command = apply(lower, `${name}`, []);
    return command === 'copy' || command === 'cut' ? false : apply(run, this, [command, ui, value]);
  };
}
