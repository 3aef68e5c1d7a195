/** The secrets of a server's store, requested on behalf of a job that this worker holds; kept only in memory. */
import type { WorkApi } from '@woof/protocol';
import type { KeychainsOptions } from '../keychain/keychains.ts';
import { retrying } from './retrying.ts';

export function remoteSecrets(
  api: Pick<WorkApi, 'secrets'>,
  worker: string,
  now: () => number = Date.now,
): KeychainsOptions['sources'] {
  return ({ execution_id, job_id, fence }) => {
    let asked: ReturnType<WorkApi['secrets']> | undefined;
    return {
      stored: async (name) => {
        asked ??= retrying(() => api.secrets({ worker, execution_id, job_id, fence }));
        const { secrets } = await asked;
        return Object.hasOwn(secrets, name) ? secrets[name] : undefined;
      },
      howToSet: (name, fields) => `set it: woof secret set ${[name, ...fields].join(' ')} --server URL`,
      now,
    };
  };
}
