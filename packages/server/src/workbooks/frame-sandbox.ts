/**
 * What the frame of a workbook may, as its element and its policy say. `allow-same-origin` is missing on purpose: what a
 * workbook keeps, it keeps through the broker. With `allow-forms` forms tell their page of `submit` and are checked, as
 * everywhere; where they would go, `form-action 'none'` ends them.
 */
export const FRAME_SANDBOX = 'allow-scripts allow-forms';
