import { RepotideError } from '@core/domain';

/** What was asked, of whom. */
export interface PodQuestion {
  verb: 'get' | 'list' | 'watch';
  server: string;
  namespace: string;
}

/**
 * Translates whatever the client threw. Nothing of the answer itself is quoted: the client puts headers and body into
 * its message.
 */
export function failureOf(thrown: unknown, question: PodQuestion): RepotideError {
  if (thrown instanceof RepotideError) return thrown;
  const status = statusOf(thrown);
  return status === null ? failureOfConnection(thrown, question) : failureOfStatus(status, question, thrown);
}

/** The answer's status, or null when there was no answer. */
export function statusOf(thrown: unknown): number | null {
  const { code, statusCode } = shapeOf(thrown);
  if (typeof statusCode === 'number') return statusCode;
  return typeof code === 'number' ? code : null;
}

/** From the status of an answer, or of an ERROR event in the middle of a watch. */
export function failureOfStatus(status: number, question: PodQuestion, cause?: unknown): RepotideError {
  const { verb, server, namespace } = question;
  const options = { cause, details: { status, verb, namespace } };
  const says = `Kubernetes at ${server} answered ${status} to "${verb} pods" in namespace ${namespace}`;
  if (status === 403) {
    return new RepotideError(
      'forbidden',
      'kubernetes_forbidden',
      `${says}: the permission is missing. Grant the pod's service account the verbs get, list and watch on pods ` +
        `in that namespace (a Role and a RoleBinding; podWatch.enabled of the chart makes them).`,
      options,
    );
  }
  if (status === 401) {
    const advice = `${says}: the service account's token was rejected. It is read again before each request.`;
    return new RepotideError('unauthorized', 'kubernetes_token_rejected', advice, options);
  }
  if (status === 410) {
    const advice = `${says}: that part of history is no longer kept. The pods are listed anew.`;
    return new RepotideError('temporary', 'kubernetes_history_expired', advice, options);
  }
  if (status === 400) {
    const advice = `${says}: the request was refused. Check the label selector of the pods.`;
    return new RepotideError('invalid', 'kubernetes_request_refused', advice, options);
  }
  return new RepotideError('temporary', 'kubernetes_unavailable', `${says}.`, options);
}

function failureOfConnection(thrown: unknown, { verb, server }: PodQuestion): RepotideError {
  const reason = reasonOf(thrown);
  const options = { cause: thrown, details: { verb, reason } };
  if (shapeOf(thrown).syscall === 'open') {
    const path = String(shapeOf(thrown).path);
    return new RepotideError(
      'invalid',
      'kubernetes_service_account_missing',
      `The service account's file ${path} cannot be read (${reason}). Let Kubernetes mount it: ` +
        `automountServiceAccountToken: true, which podWatch.enabled of the chart sets.`,
      options,
    );
  }
  const message = `Kubernetes at ${server} gave no complete answer to "${verb} pods" (${reason}).`;
  return new RepotideError('temporary', 'kubernetes_unavailable', message, options);
}

/** `fetch` hides what happened in the cause of a cause. */
function reasonOf(thrown: unknown): string {
  let reason = 'closed';
  for (
    let error = thrown, depth = 0;
    error !== undefined && depth < 4;
    error = shapeOf(error).cause, depth++
  ) {
    const { code, name } = shapeOf(error);
    if (typeof code === 'string') reason = code;
    else if (depth === 0 && typeof name === 'string') reason = name;
  }
  return reason;
}

/** Errors may come from another realm than `Error` here, so only their shape counts. */
function shapeOf(thrown: unknown): Record<string, unknown> {
  return typeof thrown === 'object' && thrown !== null ? (thrown as Record<string, unknown>) : {};
}
