import { SetMetadata } from '@nestjs/common';

export const AUDIT_METADATA = 'repotide:audit';

/**
 * Names what a route that is no GET does, as `<subject>.<verb>`. Without it the name comes from the handler:
 * `createSchedule` is recorded as `schedule.create`.
 */
export function Audited(action: `${string}.${string}`): MethodDecorator {
  return SetMetadata(AUDIT_METADATA, action);
}

/** A route that is no GET and changes nothing, such as a search. */
export function NotAudited(): MethodDecorator & ClassDecorator {
  return SetMetadata(AUDIT_METADATA, false);
}
