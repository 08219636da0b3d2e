import { LotKey, derivedId, keccakOf, readOwnLotUri, walletDid } from '#kernel';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { LotThen } from '../contract.js';
import { type CustodyTransition, type RecallTransition, custodyEvent, recallEvent } from '../epcis/epcis-transition.js';
import { type Naming, partyLink, placeUri } from '../epcis/identifiers.js';
import type { Json } from '../epcis/json.js';
import type { FeedRequest, SourceEntry, SourcePlace } from './event-feed.js';

interface CustodyRow {
  readonly id: string;
  readonly kind: CustodyTransition['kind'];
  readonly tokenId: string;
  readonly chainId: string;
  readonly at: Date;
  readonly recordedAt: Date;
  readonly offset: string | null;
  readonly location: Json | null;
  readonly block: string;
  readonly from: string;
  readonly to: string;
  readonly txHash: string;
}

/** In the order of bytes, as the cursor compares. */
const CUSTODY_KEY = 's.id collate "C"';

/** Changes of custody that no event of a process records: one entry a lot. */
@Injectable()
export class CustodyFeedQueries {
  /** @param view offers, or their ends and direct transfers */
  async page(
    view: 'custody.offer_change_v1' | 'custody.closing_change_v1',
    tx: TenantTx,
    { filter, naming, blocks }: FeedRequest,
    after: SourcePlace | null,
    limit: number,
  ): Promise<readonly SourceEntry[]> {
    if (after?.at === null) return [];
    const parameters: unknown[] = [tx.tenantId];
    const parameter = (value: unknown): string => `$${parameters.push(value)}`;
    const where = `${timeCondition(filter, after, CUSTODY_KEY, parameter)} and ${blockCondition(blocks, parameter)}`;
    const lots = filter.tokenIds ? ` and s.token_id = any(${parameter(filter.tokenIds)}::bigint[])` : '';
    const code = filter.tlc === undefined ? '' : ` and s.token_id in (${lotsWithCode(filter.tlc, naming.tenant, parameter)})`;
    const rows = await tx.sql<CustodyRow>(
      `select s.id, s.change as kind, s.token_id as "tokenId", s.chain_id as "chainId", s.at, s.recorded_at as "recordedAt", s.time_zone_offset as "offset", s.location,
         s.block_number as block, s.from_address as "from",
         s.to_address as "to", s.tx_hash as "txHash"
       from ${view} s where s.tenant_id = $1 and ${where}${lots}${code} order by s.at desc, ${CUSTODY_KEY} limit ${parameter(limit)}`,
      parameters,
    );
    const addresses = [...new Set(rows.flatMap(({ from, to }) => [from, to]))];
    const [ends, versions] = await Promise.all([endsOf(tx, addresses), lotVersions(tx, rows)]);
    return rows.map((row, i) => ({
      at: row.at,
      key: row.id,
      block: Number(row.block),
      event: () => custodyEvent(transitionOf(row, ends, versions[i]!, naming), naming),
    }));
  }
}

function transitionOf(row: CustodyRow, ends: ReadonlyMap<string, TransferEnd>, lot: LotThen, { tenant }: Naming): CustodyTransition {
  const { id, kind, at, recordedAt, offset, location, chainId, from, to, txHash } = row;
  const party = (address: string): string => {
    const gln = ends.get(address)?.gln;
    return gln ? partyLink(gln) : walletDid(Number(chainId), address);
  };
  return {
    id: derivedId('transfer', id, kind, tenant),
    kind,
    at: at.toISOString(),
    recordedAt: recordedAt.toISOString(),
    offset,
    from: party(from),
    to: party(to),
    // What the note says; else of who acted: the sender offers and takes back, the receiver accepts and refuses.
    place: placeUri(location) ?? ends.get(kind === 'offered' || kind === 'cancelled' ? from : to)?.place ?? null,
    lots: [lot],
    txHash,
  };
}

/** Of a code, or of the key that an IRI names. */
function lotsWithCode(code: string, tenant: string, parameter: (value: unknown) => string): string {
  const own = readOwnLotUri(code);
  const hash = LotKey.read(code)?.hash ?? (own && keccakOf(own.code));
  const named = hash ? `l.tlc_hash = ${parameter(hash)}` : `l.tlc = ${parameter(code)}`;
  return `select l.token_id from traceability.lot_v1 l where l.tenant_id = $1 and ${own && own.tenant !== tenant ? 'false' : named}`;
}

interface TransferEnd {
  /** GLN before DID (docs/spec/domain.md#process-maps, Actors); null for a wallet without an organisation, or one without a GLN. */
  readonly gln: string | null;
  /** URI of the site that the wallet belongs to. */
  readonly place: string | null;
}

async function endsOf(tx: TenantTx, addresses: readonly string[]): Promise<ReadonlyMap<string, TransferEnd>> {
  if (addresses.length === 0) return new Map();
  const rows = await tx.sql<{ address: string; gln: string | null; siteGln: string | null; location: Json | null }>(
    `select w.address, coalesce(w.site_gln, o.gln) as gln, w.site_gln as "siteGln", w.site_location as location from identity.wallet_v1 w
     join identity.organisation_v1 o on o.tenant_id = w.tenant_id and o.id = w.org_id
     where w.tenant_id = $1 and w.address = any($2::text[])`,
    [tx.tenantId, addresses],
  );
  return new Map(
    rows.map(({ address, gln, siteGln, location }) => [
      address,
      { gln, place: placeUri({ ...location, ...(siteGln !== null && { gln: siteGln }) }) },
    ]),
  );
}

interface RecallRow {
  readonly key: string;
  readonly recallId: string;
  readonly kind: RecallTransition['kind'];
  readonly at: Date;
  readonly block: string;
  readonly txHash: string;
  readonly reason: string | null;
  readonly recallClass: string | null;
  readonly tokenIds: readonly string[];
  readonly senderMismatch: boolean;
}

const RECALL_KEY = `(s.recall_id::text || s.tx_hash) collate "C"`;

/** Recalls and lifts: one entry a call, with its lots. A list of certain lots shows only those lots. */
@Injectable()
export class RecallFeedQueries {
  async page(tx: TenantTx, request: FeedRequest, after: SourcePlace | null, limit: number): Promise<readonly SourceEntry[]> {
    if (after?.at === null) return [];
    const { filter, naming } = request;
    const rows = await recallRows(tx, request, after, limit);
    const shown = filter.tokenIds && new Set(filter.tokenIds.map(String));
    const tokenIds = rows.map((row) => row.tokenIds.filter((id) => shown?.has(id) ?? true));
    const versions = await lotVersions(
      tx,
      rows.flatMap(({ block }, i) => tokenIds[i]!.map((tokenId) => ({ tokenId, block }))),
    );
    let next = 0;
    return rows.map(({ key, at, ...row }, i) => {
      const transition: RecallTransition = {
        ...row,
        id: row.kind === 'recalled' ? row.recallId : derivedId('recall', row.recallId, row.kind, row.txHash),
        at: at.toISOString(),
        lots: versions.slice(next, (next += tokenIds[i]!.length)),
      };
      return { at, key, block: Number(row.block), event: () => recallEvent(transition, naming) };
    });
  }
}

async function recallRows(
  tx: TenantTx,
  { filter, naming, blocks }: FeedRequest,
  after: SourcePlace | null,
  limit: number,
): Promise<readonly RecallRow[]> {
  const parameters: unknown[] = [tx.tenantId];
  const parameter = (value: unknown): string => `$${parameters.push(value)}`;
  const where = `${timeCondition(filter, after, RECALL_KEY, parameter)} and ${blockCondition(blocks, parameter)}`;
  const lots = filter.tokenIds && parameter(filter.tokenIds);
  const code = !lots && filter.tlc !== undefined && lotsWithCode(filter.tlc, naming.tenant, parameter);
  const ofLots = lots ? `s.token_ids && ${lots}::bigint[]` : code ? `s.token_ids && array(${code})` : 'true';
  return tx.sql<RecallRow>(
    `select ${RECALL_KEY} as key, s.recall_id as "recallId", s.change as kind, s.at, s.block_number as block, s.tx_hash as "txHash", s.reason,
       s.recall_class as "recallClass", s.token_ids as "tokenIds", s.sender_mismatch as "senderMismatch"
     from recall.recall_change_v1 s where s.tenant_id = $1 and ${where} and ${ofLots}
     order by s.at desc, ${RECALL_KEY} limit ${parameter(limit)}`,
    parameters,
  );
}

/** Lots as they were after a block, in the order asked for. */
async function lotVersions(
  tx: TenantTx,
  wanted: readonly { readonly tokenId: string; readonly block: string }[],
): Promise<readonly LotThen[]> {
  if (wanted.length === 0) return [];
  return tx.sql<LotThen>(
    `select l.token_id::float8 as "tokenId", l.tlc, l.key, l.gtin, l.serial, l.is_container as "isContainer", l.asset_type as "assetType",
       trim_scale(v.remaining)::text as remaining, coalesce(v.uom, l.uom) as uom
     from unnest($2::bigint[], $3::bigint[]) with ordinality as a(token_id, block, place)
     join traceability.lot_v1 l on l.tenant_id = $1 and l.token_id = a.token_id
     left join lateral (
       select v.remaining, v.uom from traceability.lot_version_v1 v
       where v.tenant_id = $1 and v.token_id = a.token_id and v.from_block <= a.block
       order by v.from_block desc, v.from_log desc limit 1) v on true
     order by a.place`,
    [tx.tenantId, wanted.map(({ tokenId }) => tokenId), wanted.map(({ block }) => block)],
  );
}

/** The condition on the time of transitions `s`: what a filter lets through behind a place. */
function timeCondition(
  { from, to }: { readonly from?: Date; readonly to?: Date },
  after: SourcePlace | null,
  key: string,
  parameter: (value: unknown) => string,
): string {
  const all = ['true'];
  if (from) all.push(`s.at >= ${parameter(from)}`);
  if (to) all.push(`s.at < ${parameter(to)}`);
  if (after) {
    const at = parameter(after.at);
    // In this form an index by time is entered at the place.
    all.push(`s.at <= ${at}::timestamptz and (s.at < ${at}::timestamptz or ${key} > ${parameter(after.key)})`);
  }
  return all.join(' and ');
}

const blockCondition = (blocks: FeedRequest['blocks'], parameter: (value: unknown) => string): string =>
  blocks ? `s.block_number > ${parameter(blocks[0])} and s.block_number <= ${parameter(blocks[1])}` : 'true';
