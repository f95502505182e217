import { list, LISTED_ID, namedOneOf, shown } from '../http/fields.js';
import { model } from '../http/model.js';

/** The result of an event. */
export const WebhookReceiptDto = model('WebhookReceiptDto', {
  status: namedOneOf(
    'WebhookStatus',
    ['accepted', 'ignored', 'repeated'],
    '`accepted`: a run follows. `ignored`: there is nothing to do. `repeated`: the delivery was received before.',
  ),
  reason: shown(
    'Why it is ignored: not_a_push, push_not_understood, not_a_branch, branch_deleted, not_registered.',
    'branch_deleted',
  ).nullable(),
  execution_ids: list(
    LISTED_ID,
    'Runs that were queued for it. Empty when a run that is already queued, or that follows the current one, covers it.',
  ),
});
