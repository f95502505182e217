import { useEffect, useState } from 'preact/hooks';
import { Api } from '../api/api.js';
import { SecretField, valuesOf } from '../parts/forms.js';
import { parseRoute, useTitle } from '../state/route.js';
import { failureOf } from '../state/use-load.js';

/** Why the service sent a person back without a session, by the code in the address. */
const PROBLEMS: Readonly<Record<string, string>> = {
  sign_in_refused: 'The sign-in was refused, or it took too long. Sign in again.',
  role_required: 'You are known, but you have no role here. Ask an administrator of Repotide for one.',
  issuer_unavailable: 'The sign-in service does not respond. Try again later.',
  too_many_failures: 'Too many sign-ins failed. Try again in a minute.',
};

function problemOfAddress(): string | null {
  const code = parseRoute(location.hash).query['problem'];
  if (code === undefined) return null;
  return Object.hasOwn(PROBLEMS, code)
    ? (PROBLEMS[code] ?? null)
    : 'You could not be signed in. Try again later.';
}

/** Where people sign in; null: they cannot, or the service does not respond. */
function useProvider(): string | null {
  const [provider, setProvider] = useState<string | null>(null);
  useEffect(() => {
    new Api(null, () => undefined).get('/auth/options', {}).then(
      (options) => setProvider(options.provider),
      () => undefined,
    );
  }, []);
  return provider;
}

export function SignIn({ notice, onSignIn }: { notice: string | null; onSignIn: (token: string) => void }) {
  useTitle('Sign in');
  const [failure, setFailure] = useState<string | null>(notice ?? problemOfAddress());
  const provider = useProvider();
  const [isBusy, setIsBusy] = useState(false);

  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const { token = '' } = valuesOf(event);
    if (!/^[\x21-\x7e]+$/.test(token)) {
      setFailure('A token has only ASCII characters and no spaces. Copy it again.');
      return;
    }
    if (isBusy) return;
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
        {provider !== null && (
          <a class="button primary" href="auth/sign-in">
            Sign in with {provider}
          </a>
        )}
        <SecretField label="API token" required aria-describedby="token-note" />
        <p id="token-note" class="faint">
          The token is stored in this tab only and sent in a header only. The admin token is{' '}
          <code>REPOTIDE_ADMIN_TOKEN</code>; without it, the log of the first start names the file with a
          generated one.
        </p>
        {failure !== null && (
          <p class="notice notice-bad" role="alert">
            {failure}
          </p>
        )}
        <button type="submit" class={provider === null ? 'primary' : undefined} aria-disabled={isBusy}>
          {isBusy ? 'Signing in…' : provider === null ? 'Sign in' : 'Sign in with the token'}
        </button>
      </form>
    </main>
  );
}
