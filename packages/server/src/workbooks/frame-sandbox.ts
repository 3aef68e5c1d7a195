/**
 * The sandbox of a workbook's frame, for its element and its policy.
 *
 * `hasOrigin`: it may keep data in the browser, on the origin that it is served from (`allow-same-origin`). Nothing
 * else has that origin, so the page around it, other workbooks and the sandbox itself stay out of its reach. Without
 * it, the frame has an opaque origin. With `allow-forms`, forms are validated and fire `submit` as usual, but
 * `form-action 'none'` blocks sending them.
 */
export function frameSandbox(hasOrigin: boolean): string {
  return `allow-scripts allow-forms${hasOrigin ? ' allow-same-origin' : ''}`;
}
