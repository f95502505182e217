import { type Logger, type PodDirectory, type RepotideError } from '@core/domain';
import { type PodSelection } from './pod-api.js';

/** Whether the pods are followed, and why not. A change is logged once, however often it is tried again. */
export class TakeOverSource {
  /** Whether what is known of the pods is of now. */
  isFollowing = false;
  private reason = 'the pods have not been listed yet';
  /** What the log said last. */
  private said: string | null = null;

  constructor(
    private readonly logger: Logger,
    private readonly selection: PodSelection,
  ) {}

  follows(): void {
    this.isFollowing = true;
    this.reason = `following the pods of namespace ${this.selection.namespace}`;
    if (this.says('followed'))
      this.logger.info(this.fields(), 'pods are followed; a dead one is noticed at once');
  }

  /** @param failures how many there were without a whole watch in between. */
  failed(error: RepotideError, failures: number): void {
    const wasFollowing = this.isFollowing;
    this.isFollowing = false;
    this.reason = error.message;
    const fields = { ...this.fields(), error_code: error.code, error: error.message };
    // Connections break now and then; the next attempt, in a moment, tells whether there is anything to tell.
    if (error.kind === 'temporary' && failures === 1 && wasFollowing) {
      this.logger.debug(fields, 'pod watch broke; the pods are listed anew');
    } else if (this.says(error.code)) {
      this.logger.warn(fields, 'pods cannot be followed; heartbeats decide until they can');
    }
  }

  outsideOfCluster(): void {
    this.reason =
      'not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set, as they are in every container';
    if (this.says('outside'))
      this.logger.info({ reason: this.reason }, 'pods are not followed; heartbeats decide');
  }

  stopped(): void {
    this.isFollowing = false;
    this.reason = 'shutting down';
  }

  describe(): ReturnType<PodDirectory['describe']> {
    return { source: this.isFollowing ? 'kubernetes' : 'heartbeats', reason: this.reason };
  }

  private says(what: string): boolean {
    const isNews = this.said !== what;
    this.said = what;
    return isNews;
  }

  private fields(): object {
    const { namespace, labelSelector } = this.selection;
    return { namespace, label_selector: labelSelector };
  }
}
