/** Signs in with a token. The person who started the server has a link instead. */
import { useSignal } from '@preact/signals';
import { sentencesOf } from '../parts/problem.tsx';
import { loginProblem, signIn } from '../session.ts';

export function Login() {
  const token = useSignal('');
  const isBusy = useSignal(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    isBusy.value = true;
    loginProblem.value = '';
    try {
      await signIn({ token: token.value.trim() });
    } catch (error) {
      loginProblem.value = sentencesOf(error);
    }
    isBusy.value = false;
  };
  return (
    <main class="alone">
      <form class="login" onSubmit={(event) => void submit(event)}>
        <h1>Woof Studio</h1>
        <label>
          Token
          <input
            type="password"
            autoComplete="current-password"
            spellcheck={false}
            required
            autofocus
            value={token.value}
            aria-describedby="login-help login-problem"
            onInput={(event) => {
              token.value = event.currentTarget.value;
            }}
          />
        </label>
        <p id="login-problem" role="alert" class="bad">
          {loginProblem.value}
        </p>
        <button type="submit" class="main" disabled={isBusy.value}>
          Sign in
        </button>
        <p id="login-help" class="soft">
          On the server machine, <code>woof server link</code> prints a link that signs you in. An
          administrator creates tokens with <code>woof token create</code>.
        </p>
      </form>
    </main>
  );
}
