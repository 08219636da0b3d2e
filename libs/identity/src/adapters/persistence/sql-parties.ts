import { Injectable } from '@nestjs/common';
import type { TenantTx } from '#persistence';
import { Parties, type PartyLabel } from '../../contract.js';
import { organisationNotFound } from '../../domain/errors.js';

interface Row {
  readonly address: string;
  readonly org_id: string | null;
  readonly org_name: string | null;
  readonly site_name: string | null;
  readonly is_user: boolean;
  readonly label: string | null;
}

@Injectable()
export class SqlParties extends Parties {
  override async labels(tx: TenantTx, addresses: readonly string[]): Promise<ReadonlyMap<string, PartyLabel>> {
    const asked = [...new Set(addresses)];
    const rows = await tx.sql<Row>(
      `select w.address, o.id as org_id, o.name as org_name, s.name as site_name, w.user_id is not null as is_user, w.label
       from identity.wallet w
       left join identity.site s on s.tenant_id = w.tenant_id and s.id = w.site_id
       left join identity.organisation o on o.tenant_id = w.tenant_id and o.id = coalesce(w.org_id, s.org_id)
       where w.tenant_id = $1 and w.address = any ($2)`,
      [tx.tenantId, asked],
    );
    const known = new Map(rows.map((row) => [row.address, labelOf(row)]));
    return new Map(asked.map((address) => [address, known.get(address) ?? nameless(address)]));
  }

  override async walletsOf(tx: TenantTx, orgId: string): Promise<readonly string[]> {
    const rows = await tx.sql<{ address: string | null }>(
      `select w.address from identity.organisation o
       left join identity.site s on s.tenant_id = o.tenant_id and s.org_id = o.id
       left join identity.wallet w on w.tenant_id = o.tenant_id and (w.org_id = o.id or w.site_id = s.id)
       where o.tenant_id = $1 and o.id::text = $2`,
      [tx.tenantId, orgId.toLowerCase()],
    );
    if (rows.length === 0) throw organisationNotFound();
    return [...new Set(rows.flatMap(({ address }) => (address === null ? [] : [address])))].toSorted();
  }
}

/** Precedence of domain-decisions §2.2: the facility where one is set, else the organisation, the person, the address book. */
function labelOf({ address, org_id: orgId, org_name: orgName, site_name: siteName, is_user: isUser, label }: Row): PartyLabel {
  if (siteName !== null) return { label: siteName, kind: 'facility', orgId, orgName };
  if (orgName !== null) return { label: orgName, kind: 'organization', orgId, orgName };
  if (label === null) return nameless(address);
  return { label, kind: isUser ? 'user' : 'partner', orgId: null, orgName: null };
}

const nameless = (address: string): PartyLabel => ({
  label: `${address.slice(0, 6)}…${address.slice(-4)}`,
  kind: 'address',
  orgId: null,
  orgName: null,
});
