import { ApiFailure, type Api } from '../../api/api.js';
import { type Schemas } from '../../api/schema.js';
import { useLoad } from '../../state/use-load.js';

const POLL_MS = 15_000;

/** Names the dependencies that are down; shows nothing while all are up. */
export function Readiness() {
  const { data, failure } = useLoad('health/ready', readReadiness, POLL_MS);
  const down = Object.entries(data?.checks ?? {}).filter(([, { status }]) => status === 'down');
  // When the pod does not respond, the rest of the page shows it.
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

/** Not sent through the API client: the probe needs no token, and its 503 has a result. */
async function readReadiness(_api: Api, signal: AbortSignal) {
  const response = await fetch('health/ready', { signal, cache: 'no-store' }).catch(() => {
    throw new ApiFailure('The service is not responding.', 0, 'no_response');
  });
  return (await response.json()) as Partial<Schemas['ReadinessDto'] & { detail: string }>;
}
