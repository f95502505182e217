import { Inject, Injectable } from '@nestjs/common';
import { PushStore } from '@adapters/postgres';
import { Logger, type Push } from '@core/domain';
import { type Config } from '@platform/config';
import { type RowOf } from '../http/model.js';
import { CONFIG } from '../injection-tokens.js';
import { type WebhookReceiptDto } from './webhook.schema.js';

/** Queues runs for pushes. */
@Injectable()
export class WebhooksService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly logger: Logger,
    private readonly pushes: PushStore,
  ) {}

  get secret(): string | undefined {
    return this.config.gitlab.webhookSecret;
  }

  async accept(push: Push, deliveryId: string | null): Promise<RowOf<typeof WebhookReceiptDto>> {
    const { webhookDebounceSeconds } = this.config.gitlab;
    const outcomes = await this.pushes.accept(push, deliveryId, webhookDebounceSeconds);
    if (outcomes === null) return { status: 'repeated', reason: null, executionIds: [] };
    if (outcomes.length === 0) return { status: 'ignored', reason: 'not_registered', executionIds: [] };
    for (const { repositoryId, kind } of outcomes) {
      this.logger.info({ repository_id: repositoryId, outcome: kind }, 'push received');
    }
    const queued = outcomes.flatMap((outcome) => (outcome.kind === 'queued' ? [outcome.execution] : []));
    return { status: 'accepted', reason: null, executionIds: queued.map(({ id }) => id) };
  }
}
