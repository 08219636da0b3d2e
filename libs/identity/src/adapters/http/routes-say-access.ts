import { Injectable, type OnModuleInit, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { ACCESS } from '#http';

/** A route that does not say what it asks of its caller does not start. */
@Injectable()
export class RoutesSayAccess implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  /** @throws Error that names every such route */
  onModuleInit(): void {
    const silent = this.discovery.getControllers().flatMap(({ metatype }) => (metatype ? this.silentRoutes(metatype as Controller) : []));
    if (silent.length > 0) throw new Error(`These routes do not say who may call them (@Access): ${silent.join(', ')}`);
  }

  private silentRoutes(controller: Controller): string[] {
    return this.scanner.getAllMethodNames(controller.prototype).flatMap((name) => {
      const handler = controller.prototype[name] as () => unknown;
      const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
      if (method === undefined || this.reflector.getAllAndOverride(ACCESS, [handler, controller]) !== undefined) return [];
      return [`${RequestMethod[method]} ${String(Reflect.getMetadata(PATH_METADATA, handler))} of ${controller.name}.${name}`];
    });
  }
}

type Controller = (new () => unknown) & { readonly prototype: Record<string, unknown> };
