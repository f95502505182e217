import { RepotideError, type ErrorKind } from '@core/domain';

/** The request that failed. */
export interface PodRequest {
  verb: 'get' | 'list' | 'watch';
  server: string;
  namespace: string;
}

const BY_STATUS: Readonly<Record<number, [kind: ErrorKind, code: string, advice: string]>> = {
  400: [
    'invalid',
    'kubernetes_request_refused',
    ': the request was rejected. Check the label selector of the pods.',
  ],
  401: [
    'unauthorized',
    'kubernetes_token_rejected',
    ": the service account's token was rejected. It is read again before each request.",
  ],
  403: [
    'forbidden',
    'kubernetes_forbidden',
    ": the permission is missing. Grant the pod's service account the verbs get, list and watch on pods in that " +
      'namespace (a Role and a RoleBinding; the chart creates them with podWatch.enabled).',
  ],
  410: [
    'temporary',
    'kubernetes_history_expired',
    ': the requested version has expired. The pods are listed again.',
  ],
};

/** Translates an error of the client. Its message is not quoted, because it contains headers and body of the response. */
export function failureOf(thrown: unknown, request: PodRequest): RepotideError {
  if (thrown instanceof RepotideError) return thrown;
  const status = statusOf(thrown);
  return status === null ? failureOfConnection(thrown, request) : failureOfStatus(status, request, thrown);
}

/** The status of the response; null: there was none. */
export function statusOf(thrown: unknown): number | null {
  const { code, statusCode } = shapeOf(thrown);
  if (typeof statusCode === 'number') return statusCode;
  return typeof code === 'number' ? code : null;
}

/** For the status of a response, or of an ERROR event of a watch. */
export function failureOfStatus(status: number, request: PodRequest, cause?: unknown): RepotideError {
  const { verb, server, namespace } = request;
  const [kind, code, advice] = BY_STATUS[status] ?? ['temporary', 'kubernetes_unavailable', '.'];
  const message = `Kubernetes at ${server} answered ${status} to "${verb} pods" in namespace ${namespace}${advice}`;
  return new RepotideError(kind, code, message, { cause, details: { status, verb, namespace } });
}

function failureOfConnection(thrown: unknown, { verb, server }: PodRequest): RepotideError {
  const reason = reasonOf(thrown);
  const options = { cause: thrown, details: { verb, reason } };
  const { syscall, path } = shapeOf(thrown);
  if (syscall === 'open') {
    const message =
      `The service account's file ${String(path)} cannot be read (${reason}). Let Kubernetes mount it: ` +
      'automountServiceAccountToken: true, which podWatch.enabled of the chart sets.';
    return new RepotideError('invalid', 'kubernetes_service_account_missing', message, options);
  }
  const message = `Kubernetes at ${server} sent no complete response to "${verb} pods" (${reason}).`;
  return new RepotideError('temporary', 'kubernetes_unavailable', message, options);
}

/** The innermost error code: `fetch` nests its errors. */
function reasonOf(thrown: unknown): string {
  const chain: Record<string, unknown>[] = [];
  for (let error = thrown; error !== undefined && chain.length < 4; error = shapeOf(error)['cause'])
    chain.push(shapeOf(error));
  const texts = [chain[0]?.['name'], ...chain.map((error) => error['code'])];
  return texts.findLast((text): text is string => typeof text === 'string') ?? 'closed';
}

/** Errors may come from another realm, where `instanceof Error` fails. */
function shapeOf(thrown: unknown): Record<string, unknown> {
  return typeof thrown === 'object' && thrown !== null ? (thrown as Record<string, unknown>) : {};
}
