import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type CallerRequest, CurrentRights } from '#http';
import type { Actor } from '#kernel';
import { admit } from '../access/principal.js';
import { ConnectionCredentials } from './access.guard.js';
import { IdentifyPrincipal } from './identify-principal.js';

/** Costs nothing while nothing was revoked: principals are cached until then. */
@Injectable()
export class CheckRights extends CurrentRights {
  private readonly connections = new ConnectionCredentials();

  constructor(private readonly principals: IdentifyPrincipal) {
    super();
  }

  /** @throws DomainError 401, 403 */
  override async of(request: CallerRequest): Promise<Actor> {
    const credential = this.connections.of(request as FastifyRequest);
    const principal = this.principals.cached(credential) ?? (await this.principals.identify(credential));
    admit(principal, 'member');
    return principal.actor!;
  }
}
