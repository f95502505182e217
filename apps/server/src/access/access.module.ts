import { Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { AccessCheck, AccessGuard } from './access.guard.js';
import { Authenticator } from './authenticator.js';

/** Authentication and authorization for every route of the application. */
@Module({
  imports: [DiscoveryModule],
  providers: [AccessCheck, Authenticator, { provide: APP_GUARD, useClass: AccessGuard }],
  exports: [Authenticator],
})
export class AccessModule {}
