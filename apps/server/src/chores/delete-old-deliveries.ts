import { EventDeliveries } from '@adapters/postgres';
import { Injectable } from '@nestjs/common';
import { type Chore } from './chore.js';

const KEPT_DAYS = 7;

/** Deletes old deliveries, also those that wait for a disabled webhook. */
@Injectable()
export class DeleteOldDeliveries implements Chore {
  readonly name = 'old event deliveries';

  constructor(private readonly deliveries: EventDeliveries) {}

  run(): Promise<void> {
    return this.deliveries.deleteOlderThan(KEPT_DAYS);
  }
}
