import type { IncomingHttpHeaders } from 'node:http';
import type { Actor } from '#kernel';

/** What identity needs of a request to know its caller. */
export interface CallerRequest {
  readonly headers: IncomingHttpHeaders;
}

/** For a request that waits before it answers: its rights may have ended meanwhile. Identity implements it. */
export abstract class CurrentRights {
  /** @throws DomainError 401 or 403 when the credential of this request, or its membership, is no longer valid */
  abstract of(request: CallerRequest): Actor | Promise<Actor>;
}
