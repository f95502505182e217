import { SetMetadata } from '@nestjs/common';

export const AUDIT_METADATA = 'repotide:audit';

/**
 * Sets the action that the audit log records for a route, as `<subject>.<verb>`. Without it, the action comes from the
 * handler's name: `createSchedule` is recorded as `schedule.create`.
 */
export function Audited(action: `${string}.${string}`): MethodDecorator {
  return SetMetadata(AUDIT_METADATA, action);
}

/** A route with another method than GET that changes nothing, such as a search. */
export function NotAudited(): MethodDecorator & ClassDecorator {
  return SetMetadata(AUDIT_METADATA, false);
}
