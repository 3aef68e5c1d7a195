import type { Runtime } from './runtime.ts';

/** Collects the text of a template or of one of its blocks. Every character costs fuel. */
export class TextBuffer {
  text = '';
  write(rt: Runtime, text: string): void {
    rt.produce(text.length);
    this.text += text;
  }
}
