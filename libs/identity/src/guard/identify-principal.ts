import { Injectable } from '@nestjs/common';
import type { Principal } from '../access/principal.js';
import { PrincipalCache } from '../access/revocations.queries.js';
import { WatchRevocations } from '../access/watch-revocations.js';
import { readApiKey } from '../api-keys/api-key.js';
import { invalidApiKey, invalidToken } from '../errors.js';
import { BearerClient } from './bearer.client.js';
import { PrincipalsQueries } from './principals.queries.js';

export interface Credential {
  readonly kind: 'bearer' | 'api_key';
  readonly text: string;
  /** SHA-256, with the kind: a cached API key is not a bearer token, and the other way round. */
  readonly hash: string;
}

/** Finds the principal of a credential: in the cache, or by verifying the credential and reading its current rights. */
@Injectable()
export class IdentifyPrincipal {
  constructor(
    private readonly cache: PrincipalCache,
    private readonly revocations: WatchRevocations,
    private readonly bearers: BearerClient,
    private readonly principals: PrincipalsQueries,
  ) {}

  cached({ hash }: Credential): Principal | undefined {
    return this.cache.get(hash);
  }

  /** @throws DomainError 401 `token_expired`, `invalid_token`, `invalid_api_key`; EngineUnavailable */
  async identify(credential: Credential): Promise<Principal> {
    if (!this.cache.isConfirmed()) {
      await this.revocations.poll();
      const known = this.cached(credential);
      if (known) return known;
    }
    const started = performance.now();
    const { principal, expiresAt } = credential.kind === 'bearer' ? await this.bearer(credential.text) : await this.apiKey(credential.text);
    this.cache.put(credential.hash, principal, expiresAt, started);
    return principal;
  }

  private async bearer(text: string): Promise<{ readonly principal: Principal; readonly expiresAt: number }> {
    const { expiresAt, ...token } = await this.bearers.verify(text);
    const principal = await this.principals.ofSession(token);
    if (!principal) throw invalidToken();
    return { principal, expiresAt };
  }

  private async apiKey(text: string): Promise<{ readonly principal: Principal; readonly expiresAt: number }> {
    const key = readApiKey(text);
    const found = key && (await this.principals.ofApiKey(key.id, key.secret));
    if (!found) throw invalidApiKey();
    return found;
  }
}
