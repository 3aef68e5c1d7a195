import type { WbErrorCode } from './api.ts';

export class WbError extends Error {
  readonly code: WbErrorCode;

  constructor(code: WbErrorCode, message: string) {
    super(message);
    this.name = 'WbError';
    this.code = code;
  }
}
