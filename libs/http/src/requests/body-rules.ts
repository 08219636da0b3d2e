import { RouteConfig } from '@nestjs/platform-fastify';

export const LINKED_JSON = 'application/ld+json';

/** What a route reads beyond a megabyte of `application/json`. */
export interface BodyRules {
  /** Bytes. */
  readonly bodyLimit: number;
  /** JSON-LD is read too, as the JSON that it is. */
  readonly linkedJson: boolean;
}

export const ReadsBody = (rules: BodyRules): MethodDecorator => RouteConfig(rules);
