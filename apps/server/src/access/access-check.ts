import { Injectable, type OnModuleInit } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { ACCESS_METADATA } from './role.js';

/** Makes the start fail if a route has neither `@RequireRole` nor `@OpenRoute`. */
@Injectable()
export class AccessCheck implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  onModuleInit(): void {
    const undecided = this.discovery.getControllers().flatMap((wrapper) => {
      const controller = wrapper.metatype as (new () => object) | null;
      return controller ? this.undecidedRoutes(controller) : [];
    });
    if (undecided.length > 0) {
      throw new Error(`Routes without @RequireRole or @OpenRoute: ${undecided.join(', ')}.`);
    }
  }

  private undecidedRoutes(controller: new () => object): string[] {
    const prototype = controller.prototype as Record<string, () => unknown>;
    return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
      const handler = prototype[name];
      if (!handler || !Reflect.hasMetadata(METHOD_METADATA, handler)) return [];
      const access = this.reflector.getAllAndOverride<unknown>(ACCESS_METADATA, [handler, controller]);
      return access === undefined ? [`${controller.name}.${name}`] : [];
    });
  }
}
