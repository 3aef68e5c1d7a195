/**
 * What the frame of a workbook may, as its element and its policy say.
 *
 * `hasOrigin`: it may keep data in the browser, on the origin that it is served from (`allow-same-origin`), where nothing
 * else is: the page around it, other workbooks and the sandbox itself stay out of its reach. All others have an origin
 * that equals no other. With `allow-forms` forms tell their page of `submit` and are checked, as everywhere; where they
 * would go, `form-action 'none'` ends them.
 */
export function frameSandbox(hasOrigin: boolean): string {
  return `allow-scripts allow-forms${hasOrigin ? ' allow-same-origin' : ''}`;
}
