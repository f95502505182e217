import { type Answer, jsonAnswer } from '../http/answer.js';
import { type StandInRequest } from '../http/stand-in-server.js';
import { parseLabelSelector } from './label-selector.js';
import { type PodRecord, toWire } from './pod-object.js';
import { hasLabels, type PodRegistry } from './pod-registry.js';
import { PodWatch } from './pod-watch.js';
import { Refusal } from './status.js';

export type PodVerb = 'get' | 'list' | 'watch';

export interface PodsEndpointSettings {
  /** Null: bookmarks are never sent, which the API allows. Kubernetes sends them about every minute and before the end. */
  bookmarkEveryMs: number | null;
}

const PATH = /^\/api\/v1\/namespaces\/([^/]+)\/pods(?:\/([^/]+))?$/;
const KNOWN_PARAMETERS = [
  'labelSelector',
  'watch',
  'resourceVersion',
  'timeoutSeconds',
  'allowWatchBookmarks',
];
/** The API chooses a random time of that size when a watch sets none. */
const DEFAULT_WATCH_SECONDS = 1800;

/** Parses requests for pods and answers them within the caller's rights. */
export class PodsEndpoint {
  readonly watches = new Set<PodWatch>();
  readonly forbidden = new Set<PodVerb>();

  constructor(
    private readonly registry: PodRegistry,
    private readonly settings: PodsEndpointSettings,
    private readonly tokenOf: (
      headers: StandInRequest<never>['headers'],
    ) => 'accepted' | 'rejected' | 'absent',
  ) {}

  answer(request: StandInRequest<never>): Answer {
    try {
      return this.answerAllowed(request);
    } catch (error) {
      if (error instanceof Refusal) return error.toAnswer();
      throw error;
    }
  }

  private answerAllowed({ method, path, query, headers }: StandInRequest<never>): Answer {
    const [, namespace, name] = PATH.exec(path) ?? [];
    const token = this.tokenOf(headers);
    if (token === 'rejected') throw new Refusal(401, 'Unauthorized');
    if (namespace === undefined) throw new Refusal(404, 'the server could not find the requested resource');
    if (method !== 'GET')
      throw new Refusal(405, 'the server does not allow this method on the requested resource');
    const isWatch = ['true', '1'].includes(query.get('watch') ?? '');
    const verb = name !== undefined ? 'get' : isWatch ? 'watch' : 'list';
    if (token === 'absent') throw forbidden('system:anonymous', verb, namespace);
    if (namespace !== this.registry.namespace || this.forbidden.has(verb)) {
      throw forbidden(`system:serviceaccount:${this.registry.namespace}:repotide`, verb, namespace);
    }
    if (name !== undefined) return this.get(name);
    const matches = selectorOf(query);
    return isWatch ? this.watch(query, matches) : this.list(matches);
  }

  private get(name: string): Answer {
    const pod = this.registry.get(name);
    if (pod === null) throw new Refusal(404, `pods "${name}" not found`, { name, kind: 'pods' });
    return { ...jsonAnswer(200, null), body: Buffer.from(toWire(pod)) };
  }

  private list(matches: (pod: PodRecord) => boolean): Answer {
    const items = this.registry.list(matches);
    const list = {
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: { resourceVersion: `${this.registry.version}` },
      items,
    };
    return { ...jsonAnswer(200, null), body: Buffer.from(toWire(list)) };
  }

  private watch(query: URLSearchParams, matches: (pod: PodRecord) => boolean): Answer {
    const version = query.get('resourceVersion') ?? '';
    if (!/^[1-9]\d*$/.test(version))
      throw new Refusal(400, `a watch without a version is not supported: "${version}"`);
    const wantsBookmarks = query.get('allowWatchBookmarks') === 'true';
    const watch = new PodWatch(this.registry, {
      matches,
      fromVersion: Number(version),
      timeoutSeconds: Number(query.get('timeoutSeconds') ?? DEFAULT_WATCH_SECONDS),
      bookmarkEveryMs: wantsBookmarks ? this.settings.bookmarkEveryMs : null,
    });
    this.watches.add(watch);
    watch.body.once('close', () => this.watches.delete(watch));
    return { status: 200, headers: { 'content-type': 'application/json' }, body: watch.body };
  }
}

/** Unsupported parameters are refused, so that no test relies on them unknowingly. */
function selectorOf(query: URLSearchParams): (pod: PodRecord) => boolean {
  const unknown = [...query.keys()].find((key) => !KNOWN_PARAMETERS.includes(key));
  if (unknown !== undefined) throw new Refusal(400, `query parameter ${unknown} is not supported`);
  return hasLabels(parseLabelSelector(query.get('labelSelector') ?? ''));
}

function forbidden(user: string, verb: PodVerb, namespace: string): Refusal {
  return new Refusal(
    403,
    `pods is forbidden: User "${user}" cannot ${verb} resource "pods" in API group "" in the namespace "${namespace}"`,
    { kind: 'pods' },
  );
}
