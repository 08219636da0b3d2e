import type { INestApplicationContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { JsonRpc } from '#chain';
import { RateLimits } from '#http';
import { Clock, newId } from '#kernel';
import type { UnitOfWork } from '#persistence';
import { PrincipalCache } from '../access/revocations.queries.js';
import { ApiKeysQueries } from '../api-keys/api-keys.queries.js';
import { AuditLog, Quotas } from '../contract.js';
import { AccessGuard } from '../guard/access.guard.js';
import { IdentifyPrincipal } from '../guard/identify-principal.js';
import { SiweClient } from '../sign-in/siwe.client.js';
import type { Usage } from '../tenants/tenant.js';

export { checkSiwe, type SiweFields } from '../sign-in/siwe.js';
/** For tests of the SMTP adapter against a faulty server. */
export { SmtpMailer } from '../mail/mailer.client.js';
/** For tests of the projector below the indexer. */
export { ChainGrantsQueries } from '../wallets/chain-grants.queries.js';
export { WalletsQueries } from '../wallets/wallets.queries.js';

/** For tests of sign-in with Ethereum against the public vectors, below HTTP. */
export const siweClient = (rpc?: JsonRpc): SiweClient => new SiweClient({ siweDomains: [], chainId: 1 }, new Clock(), rpc);

/** For tests of other contexts without identity: records nothing. Tests of the whole service check what is recorded. */
export class NoAuditLog extends AuditLog {
  override record(): Promise<void> {
    return Promise.resolve();
  }
}

/** For tests of other contexts without identity: no limits, and nothing is counted. */
export class UnlimitedQuotas extends Quotas {
  override takeAtOnce(): () => Promise<void> {
    return async () => undefined;
  }

  override take(): Promise<void> {
    return Promise.resolve();
  }

  override requireRoom(): Promise<void> {
    return Promise.resolve();
  }

  override counted(): void {
    // Nothing is counted.
  }

  override usage(): Promise<Usage> {
    return Promise.reject(new Error('these quotas count nothing'));
  }
}

/** A second access guard over the parts of a running service, for other routes, and the cache that it uses. */
export function guardOf(app: INestApplicationContext): { readonly guard: AccessGuard; readonly cache: PrincipalCache } {
  const parts = [app.get(IdentifyPrincipal), app.get(ApiKeysQueries), app.get(RateLimits)] as const;
  return { guard: new AccessGuard(new Reflector(), ...parts), cache: app.get(PrincipalCache) };
}

/** Organisations with a wallet each, for tests of other contexts without identity: statements join `identity.party_v1`. */
export async function saveParties(
  unitOfWork: UnitOfWork,
  tenantId: string,
  parties: readonly { readonly address: string; readonly orgId?: string; readonly name: string }[],
): Promise<void> {
  const rows = parties.map((party) => ({ orgId: newId(), ...party }));
  const column = (key: 'address' | 'orgId' | 'name'): string[] => rows.map((row) => row[key]);
  await unitOfWork.asSystem(async (tx) => {
    await tx.sql(
      `insert into identity.tenant (id, slug, name, on_chain_tenant_id, environment, tier, status, created_at)
       values ($1::uuid, $1::text, 'Example', $1::text, 'sandbox', 'example', 'active', now())`,
      [tenantId],
    );
    await tx.sql(
      `insert into identity.organisation (tenant_id, id, name, public_profile, created_at)
       select $1, o.id, o.name, '{}', now() from unnest($2::uuid[], $3::text[]) as o(id, name)`,
      [tenantId, column('orgId'), column('name')],
    );
    await tx.sql(
      `insert into identity.wallet (tenant_id, address, org_id, created_at)
       select $1, w.address, w.org_id, now() from unnest($2::text[], $3::uuid[]) as w(address, org_id)`,
      [tenantId, column('address'), column('orgId')],
    );
  });
}
