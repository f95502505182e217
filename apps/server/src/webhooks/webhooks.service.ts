import { Inject, Injectable } from '@nestjs/common';
import { PushStore } from '@adapters/postgres';
import { Dispatcher, type Execution, Logger, type Push } from '@core/domain';
import { type Config } from '@platform/config';
import { CONFIG } from '../injection-tokens.js';
import { type WebhookReceiptDto } from './webhook.schema.js';

/** Queues runs for pushes. */
@Injectable()
export class WebhooksService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly logger: Logger,
    private readonly pushes: PushStore,
    private readonly dispatcher: Dispatcher,
  ) {}

  get secret(): string | undefined {
    return this.config.gitlab.webhookSecret;
  }

  async accept(push: Push, deliveryId: string | null): Promise<WebhookReceiptDto> {
    const { webhookDebounceSeconds } = this.config.gitlab;
    const outcomes = await this.pushes.accept(push, deliveryId, webhookDebounceSeconds);
    if (outcomes === null) return { status: 'repeated', reason: null, execution_ids: [] };
    if (outcomes.length === 0) return { status: 'ignored', reason: 'not_registered', execution_ids: [] };
    for (const { repositoryId, kind } of outcomes) {
      this.logger.info({ repository_id: repositoryId, outcome: kind }, 'push received');
    }
    const queued = outcomes.flatMap((outcome) => (outcome.kind === 'queued' ? [outcome.execution] : []));
    for (const execution of queued) await this.dispatch(execution);
    return { status: 'accepted', reason: null, execution_ids: queued.map(({ id }) => id) };
  }

  private async dispatch(execution: Execution): Promise<void> {
    try {
      await this.dispatcher.dispatch(execution);
    } catch (error) {
      // The row is queued, so the reconciler dispatches it once the queue works again.
      this.logger.warn(
        { execution_id: execution.id, err: error },
        'Dispatch failed; the reconciler repeats it',
      );
    }
  }
}
