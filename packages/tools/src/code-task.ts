/** What tasks that run code in a process have in common: their limits, their environment and what the code receives. */
import type { JsonObject } from '@woof/net';
import { envField, numberField, objectField } from './fields.ts';
import type { ToolCall } from './tool.ts';

type Fields = Pick<ToolCall, 'input' | 'spec'>;

export function limitsOf({ input, spec }: Fields): { memoryMb?: number; timeoutSeconds?: number } {
  const memoryMb = numberField(spec, 'memory_mb', 16);
  const timeoutSeconds = numberField(input, 'timeout_seconds') ?? numberField(spec, 'timeout');
  return {
    ...(memoryMb === undefined ? {} : { memoryMb }),
    ...(timeoutSeconds ? { timeoutSeconds } : {}),
  };
}

export function envOf({ input, spec }: Fields): Record<string, string> {
  return { ...envField(spec, 'env'), ...envField(input, 'env') };
}

/** The arguments that the code may read, and `context` if the code mentions it. */
export async function receivedBy(
  code: string,
  call: ToolCall,
  mayRead: (code: string, argument: string) => boolean,
): Promise<{ args: JsonObject; context?: JsonObject }> {
  const { input } = call;
  const args = {
    ...(await call.stepArgs?.((argument) => mayRead(code, argument))),
    ...objectField(input, 'input'),
    ...objectField(input, 'args'),
  };
  const context = /\bcontext\b/.test(code) ? await call.context?.() : undefined;
  return context === undefined ? { args } : { args, context };
}
