import type { INestApplicationContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { RateLimits } from '#http';
import { AccessGuard } from '../adapters/http/access-guard.js';
import { PrincipalMemory } from '../adapters/http/principal-memory.js';
import { KeyUse } from '../adapters/persistence/key-use.js';
import { RevocationWatch } from '../adapters/persistence/revocation-watch.js';
import { BearerTokens } from '../adapters/tokens/bearer-tokens.js';
import { Principals } from '../ports.js';

/** The guard of a running service over that service's own parts, to stand before other routes, and the memory it asks. */
export function guardOf(app: INestApplicationContext): { readonly guard: AccessGuard; readonly memory: PrincipalMemory } {
  const memory = app.get(PrincipalMemory);
  const parts = [app.get(RevocationWatch), app.get(BearerTokens), app.get(Principals), app.get(KeyUse), app.get(RateLimits)] as const;
  return { guard: new AccessGuard(new Reflector(), memory, ...parts), memory };
}
