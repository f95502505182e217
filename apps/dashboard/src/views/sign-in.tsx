import { useState } from 'preact/hooks';
import { Api } from '../api/api.js';
import { TextField, valuesOf } from '../parts/forms.js';
import { useTitle } from '../state/route.js';
import { failureOf } from '../state/use-load.js';

interface SignInProps {
  notice: string | null;
  onSignIn: (token: string) => void;
}

export function SignIn({ notice, onSignIn }: SignInProps) {
  useTitle('Sign in');
  const [failure, setFailure] = useState<string | null>(notice);
  const [isBusy, setIsBusy] = useState(false);

  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const { token = '' } = valuesOf(event);
    if (!/^[\x21-\x7e]+$/.test(token)) {
      setFailure('A token has only ASCII characters and no spaces. Copy it again.');
      return;
    }
    setIsBusy(true);
    try {
      await new Api(token, () => undefined).get('/api/v1/identity', {});
      onSignIn(token);
    } catch (thrown) {
      setFailure(failureOf(thrown).message);
      setIsBusy(false);
    }
  };
  return (
    <main class="sign-in">
      <form class="panel" onSubmit={(event) => void submit(event)}>
        <img src="assets/icon.svg" alt="" width="48" height="48" />
        <h1>Repotide</h1>
        <TextField
          label="API token"
          name="token"
          type="password"
          required
          autoComplete="off"
          spellcheck={false}
          aria-describedby="token-note"
        />
        <p id="token-note" class="faint">
          The token is stored in this tab only and sent in a header only. The admin token is
          <code>REPOTIDE_ADMIN_TOKEN</code>; without it, the log of the first start names the file with a
          generated one.
        </p>
        {failure !== null && (
          <p class="notice notice-bad" role="alert">
            {failure}
          </p>
        )}
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'Signing in…' : 'Sign in'}
        </button>
      </form>
    </main>
  );
}
