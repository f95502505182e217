import { Injectable } from '@nestjs/common';
import { EventSender } from '../event-webhooks/event-sender.service.js';
import { type Chore } from './chore.js';

/** Sends what happened to the webhooks that want it. */
@Injectable()
export class SendEvents implements Chore {
  readonly name = 'events';

  constructor(private readonly sender: EventSender) {}

  run(): Promise<void> {
    return this.sender.sendDue();
  }
}
