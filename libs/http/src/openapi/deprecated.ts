import { Header, applyDecorators } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';

interface Deprecation {
  /** ISO days. At least a year lies between them (domain-decisions §10). */
  readonly since: string;
  readonly sunset: string;
  /** Path of the route that takes its place. */
  readonly successor: string;
}

const YEAR_MS = 365 * 86_400_000;

/**
 * Marks a route that will go: RFC 9745 `Deprecation`, RFC 8594 `Sunset`, a link to what takes its place, and the mark in
 * the OpenAPI document. @throws where callers would have less than a year
 */
export function Deprecated({ since, sunset, successor }: Deprecation): MethodDecorator {
  const [from, until] = [Date.parse(since), Date.parse(sunset)];
  if (!(until - from >= YEAR_MS)) throw new Error(`a route that is deprecated on ${since} may not go on ${sunset}: callers have 12 months`);
  return applyDecorators(
    ApiOperation({ deprecated: true }, { overrideExisting: false }),
    Header('Deprecation', `@${from / 1000}`),
    Header('Sunset', new Date(until).toUTCString()),
    Header('Link', `<${successor}>; rel="successor-version"`),
  );
}
