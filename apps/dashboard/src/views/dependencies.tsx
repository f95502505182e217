import { ApiFailure } from '../api/api.js';
import { useLoad } from '../state/use-load.js';

const POLL_MS = 15_000;

type Checks = Record<string, { status: 'up' | 'down'; error_code: string | null }>;

interface Readiness {
  checks?: Checks;
  detail?: string;
}

/** Says nothing while all is well; otherwise what does not answer. */
export function Dependencies() {
  const { data, failure } = useLoad('health/ready', readReadiness, POLL_MS);
  const down = Object.entries(data?.checks ?? {}).filter(([, { status }]) => status === 'down');
  // A pod that does not answer is told of by everything else on the page.
  if (failure || (!data?.detail && down.length === 0)) return null;
  return (
    <div class="notice notice-bad" role="alert">
      <p>
        <strong>This pod is not ready.</strong> {data?.detail}
      </p>
      <ul>
        {down.map(([name, { error_code }]) => (
          <li key={name}>
            {name.replace('_', ' ')}: <code>{error_code}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Asked without the token: the probe is open, and its refusal is the answer. */
async function readReadiness(_api: unknown, signal: AbortSignal): Promise<Readiness> {
  const response = await fetch('health/ready', { signal, cache: 'no-store' }).catch(() => {
    throw new ApiFailure('The service does not answer.', 0, 'no_answer');
  });
  return (await response.json()) as Readiness;
}
