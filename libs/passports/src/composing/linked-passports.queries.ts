import type { TenantTx } from '#persistence';
import { sameGoods } from '../issuing/passports.queries.js';
import type { LinkedPassport } from './passport.js';

/** A pack is made of a few others; a lot may be made into more items than a page can name. */
const MOST = 100;

/** Those of `made` that a process made which its map calls `successor`. A map is read once, however many lots it made. */
const SUCCESSORS = `
  named as materialized (
    select l.token_id, e.process_map_name as map_name, e.process_map_version as map_version, e.process_type from made m
    join traceability.lot_v1 l on l.tenant_id = $1 and l.token_id = m.token and l.retire_reason is distinct from 'voided'
    join traceability.event_v1 e on e.tenant_id = $1 and e.id = l.mint_event_id
  ), processes as materialized (
    select n.* from (select distinct map_name, map_version, process_type from named) n
    join traceability.process_v1 p on p.tenant_id = $1 and p.map_name = n.map_name and p.map_version = n.map_version and p.process_type = n.process_type
    where p.successor
  ), successors as (select n.token_id from named n join processes using (map_name, map_version, process_type))`;

/** Their passports, as far as they are shown. The code of a lot is on its parts too, and the passport is that of the whole. */
const PASSPORTS_OF = `
  select p.id as "passportId", 'urn:uuid:' || p.id::uuid as id, coalesce(l.asset_type_name, l.asset_type) as name, p.key
  from others o join traceability.lot_v1 l on l.tenant_id = $1 and l.tlc_hash = o.tlc_hash and l.contract = o.contract
    and l.retire_reason is distinct from 'voided'
  join passports.passport p on p.tenant_id = $1 and p.contract = l.contract and p.token_id = l.token_id and p.tlc = l.tlc
  where p.withdrawn_at is null and p.granularity <> 'model' order by p.key, p.id limit ${MOST}`;

const PREVIOUS = `
  with made as (select $2::bigint as token), ${SUCCESSORS}, others as (
    select distinct o.tlc_hash, o.contract from successors s
    join traceability.edge_v1 g on g.tenant_id = $1 and g.to_token = s.token_id and g.kind = 'transformation'
    join traceability.lot_v1 o on o.tenant_id = $1 and o.token_id = g.from_token
  ) ${PASSPORTS_OF}`;

const NEXT = `
  with made as materialized (
    select distinct g.to_token as token from traceability.edge_v1 g
    where g.tenant_id = $1 and g.from_token in (${sameGoods()}) and g.kind = 'transformation'
  ), ${SUCCESSORS}, others as (
    select distinct o.tlc_hash, o.contract from successors s join traceability.lot_v1 o on o.tenant_id = $1 and o.token_id = s.token_id
  ) ${PASSPORTS_OF}`;

/** Of the goods that became this lot by a process that its map calls `successor`. */
export const previousPassports = (tx: TenantTx, tokenId: bigint): Promise<readonly LinkedPassport[]> =>
  tx.sql<LinkedPassport>(PREVIOUS, [tx.tenantId, tokenId]);

/** Of the goods that this lot became. */
export const nextPassports = (tx: TenantTx, tokenId: bigint): Promise<readonly LinkedPassport[]> =>
  tx.sql<LinkedPassport>(NEXT, [tx.tenantId, tokenId]);
