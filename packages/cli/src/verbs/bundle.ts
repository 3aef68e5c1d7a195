/** The former name of `woof verify`. */
import { UserError } from '../user-error.ts';
import { defineVerb } from '../verb.ts';
import { verb as verify } from './verify.ts';

export const verb = defineVerb({
  ...verify,
  args: ['ACTION', ...verify.args],
  about: '`woof bundle verify` is the former name of `woof verify`.',
  async run([action = '', ...args], flags) {
    if (action === 'verify') return verify.run(args, flags);
    throw new UserError(`woof bundle has no action "${action}"`, 'woof verify RUN [STAGE]', 2);
  },
});
