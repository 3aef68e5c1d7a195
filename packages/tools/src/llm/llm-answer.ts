/** What a model answers, as a whole or in pieces. */
import { isObject, type Json, type JsonObject } from '@woof/net';

/** The service reported an error after it had started to answer. */
export class LlmFault extends Error {}

export class LlmAnswer {
  text = '';
  finishReason: string | undefined;
  usage: JsonObject | undefined;
  model: string | undefined;
  private readonly calls: JsonObject[] = [];

  /** Accepts a whole completion, or one piece of a streamed one. Returns the new text. */
  take(message: Json): string {
    if (!isObject(message)) return '';
    if (isObject(message.error))
      throw new LlmFault(String(message.error.message ?? 'an error without a message'));
    if (typeof message.model === 'string') this.model = message.model;
    if (isObject(message.usage)) this.usage = message.usage;
    const choice = Array.isArray(message.choices) ? message.choices[0] : undefined;
    if (!isObject(choice)) return '';
    if (typeof choice.finish_reason === 'string') this.finishReason = choice.finish_reason;
    const part = isObject(choice.delta) ? choice.delta : choice.message;
    if (!isObject(part)) return '';
    if (Array.isArray(part.tool_calls)) for (const call of part.tool_calls) this.takeCall(call);
    const text = typeof part.content === 'string' ? part.content : '';
    this.text += text;
    return text;
  }

  get toolCalls(): JsonObject[] {
    return this.calls.filter((call) => call !== undefined);
  }

  /** The arguments of a call arrive in pieces too. */
  private takeCall(piece: Json): void {
    if (!isObject(piece)) return;
    const index = typeof piece.index === 'number' && piece.index < 128 ? piece.index : this.calls.length;
    const call = this.calls[index] ?? { id: '', name: '', arguments: '' };
    const made = isObject(piece.function) ? piece.function : {};
    this.calls[index] = {
      id: typeof piece.id === 'string' ? piece.id : (call.id as string),
      name: typeof made.name === 'string' && made.name !== '' ? made.name : (call.name as string),
      arguments: `${String(call.arguments)}${typeof made.arguments === 'string' ? made.arguments : ''}`,
    };
  }
}

/** The `data:` lines of an event stream, joined if an event has several. */
export async function* eventsOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  for await (const bytes of source) {
    rest += decoder.decode(bytes, { stream: true });
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
      if (line !== '' || data.length === 0) continue;
      yield data.join('\n');
      data = [];
    }
  }
  if (rest.startsWith('data:')) data.push(rest.slice(5).trim());
  if (data.length > 0) yield data.join('\n');
}
