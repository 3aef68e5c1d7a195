/** Keeps the pixels of a canvas in step with its size on the page. Returns a function that stops this. */
export function fitCanvas(
  canvas: HTMLCanvasElement,
  drawn: (width: number, height: number) => void,
): () => void {
  const fit = () => {
    const { clientWidth: width, clientHeight: height } = canvas;
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    drawn(width, height);
  };
  const watch = new ResizeObserver(fit);
  watch.observe(canvas);
  return () => watch.disconnect();
}
