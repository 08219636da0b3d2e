import { derivedId, walletDid } from '#kernel';
import type { TenantTx } from '#persistence';
import { exportCustody } from '../../domain/export-steps.js';
import { partyLink } from '../../domain/gs1.js';
import type { CustodyStep } from '../../domain/recorded.js';
import { JournalSource } from '../../ports.js';
import { lotsThen, stepsIn } from './lots-then.js';

interface Row {
  readonly id: string;
  readonly step: CustodyStep['step'];
  readonly tokenId: string;
  readonly chainId: string;
  readonly at: Date;
  readonly block: string;
  readonly from: string;
  readonly to: string;
  readonly txHash: string;
}

/** In the order of bytes, as the cursor compares. */
const KEY = 's.id collate "C"';

/** Offers, or their ends and direct moves, that no event of a process tells of: one entry a lot. */
export class CustodySteps extends JournalSource {
  constructor(private readonly view: 'custody.offer_step_v1' | 'custody.closing_step_v1') {
    super();
  }

  override async page(...[tx, { filter, naming }, after, limit]: Parameters<JournalSource['page']>) {
    if (after?.at === null) return [];
    const parameters: unknown[] = [tx.tenantId];
    const parameter = (value: unknown): string => `$${parameters.push(value)}`;
    const where = stepsIn(filter, after, KEY, parameter);
    const lots = filter.tokenIds ? ` and s.token_id = any(${parameter(filter.tokenIds)}::bigint[])` : '';
    const code = filter.tlc === undefined ? '' : ` and s.token_id in (${ofCode(parameter(filter.tlc))})`;
    const rows = await tx.sql<Row>(
      `select s.id, s.step, s.token_id as "tokenId", s.chain_id as "chainId", s.at, s.block_number as block, s.from_address as "from",
         s.to_address as "to", s.tx_hash as "txHash"
       from ${this.view} s where s.tenant_id = $1 and ${where}${lots}${code} order by s.at desc, ${KEY} limit ${parameter(limit)}`,
      parameters,
    );
    const parties = await glnsOf(tx, [...new Set(rows.flatMap(({ from, to }) => [from, to]))]);
    const lotsNow = await lotsThen(tx, rows);
    return rows.map((row, i) => {
      const party = (address: string): string => {
        const gln = parties.get(address);
        return gln ? partyLink(gln) : walletDid(Number(row.chainId), address);
      };
      const step: CustodyStep = {
        id: derivedId('transfer', row.id, row.step, naming.tenant),
        step: row.step,
        at: row.at.toISOString(),
        from: party(row.from),
        to: party(row.to),
        lots: [lotsNow[i]!],
        txHash: row.txHash,
      };
      return { at: row.at, key: row.id, told: exportCustody(step, naming) };
    });
  }
}

const ofCode = (tlc: string): string => `select l.token_id from traceability.lot_v1 l where l.tenant_id = $1 and l.tlc = ${tlc}`;

/** GLN before DID (domain-decisions §1, Actors); a wallet without an organisation, or one without a GLN, is not there. */
async function glnsOf(tx: TenantTx, addresses: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (addresses.length === 0) return new Map();
  const rows = await tx.sql<{ address: string; gln: string }>(
    `select w.address, coalesce(w.site_gln, o.gln) as gln from identity.wallet_v1 w
     join identity.organisation_v1 o on o.tenant_id = w.tenant_id and o.id = w.org_id
     where w.tenant_id = $1 and w.address = any($2::text[]) and coalesce(w.site_gln, o.gln) is not null`,
    [tx.tenantId, addresses],
  );
  return new Map(rows.map(({ address, gln }) => [address, gln]));
}
