import { Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { AccessCheck, AccessGuard } from './access.guard.js';
import { Authenticator } from './authenticator.js';
import { CallerTokens } from './caller-tokens.js';
import { Membership } from './membership.js';
import { ScopeCheck } from './scope-check.js';
import { Throttle } from './throttle.js';

/** Authentication and authorization for every route of the application. */
@Module({
  imports: [DiscoveryModule],
  providers: [
    AccessCheck,
    Authenticator,
    CallerTokens,
    Membership,
    ScopeCheck,
    Throttle,
    { provide: APP_GUARD, useClass: AccessGuard },
  ],
  exports: [Authenticator, CallerTokens, ScopeCheck, Throttle],
})
export class AccessModule {}
