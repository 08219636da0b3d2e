import type { ChainProfile } from '#chain';
import type { TenantTx, UnitOfWork } from '#persistence';
import { writeEventFacts } from '#reporting/testing';
import { milliseconds } from './graph-walks.js';
import type { Measurement } from './report.js';
import type { Caller } from './graph-http.js';
import type { SeededFolder } from './seed-tenant.js';

export interface Bench {
  readonly caller: Caller;
  readonly unitOfWork: UnitOfWork;
  readonly seeded: SeededFolder;
  readonly say: (line: string) => void;
}

const BATCH = 5_000;
/** No block is undone any more. */
const FINAL = 1_000_000;

/** What the seeding leaves out, once a folder: an evaluation or a lap over a million lots takes hours. */
export async function fillForReports({ unitOfWork, seeded, say }: Bench, chain: ChainProfile): Promise<Measurement[]> {
  const scope = { tenantId: seeded.tenant.id };
  const run = <Row>(sql: string): Promise<Row[]> => unitOfWork.inTransaction(scope, (tx: TenantTx) => tx.sql<Row>(sql, [scope.tenantId]));
  const rows: Measurement[] = [];
  const [known] = await run('select from reporting.document_use where tenant_id = $1 limit 1');
  if (!known) {
    say('documents');
    const events = await run<{ id: string }>(DOCUMENTS);
    const { took } = await milliseconds(async () => {
      for (let done = 0; done < events.length; done += BATCH) {
        const ids = events.slice(done, done + BATCH).map(({ id }) => id);
        await unitOfWork.inTransaction(scope, (tx) => writeEventFacts(tx, chain, ids, FINAL));
      }
    });
    rows.push({
      what: `computing again ${events.length} events whose values changed, each`,
      value: (1000 * took) / events.length,
      unit: 'µs',
    });
  }
  say('transfers');
  const [handed] = await run('select from custody.transfer where tenant_id = $1 limit 1');
  if (!handed) await run(TRANSFERS);
  say('pointers');
  const [checked] = await run('select from reporting.pointer_tally where tenant_id = $1 limit 1');
  if (!checked) for (const statement of [LOT_POINTERS, EVENT_POINTERS, TALLY]) await run(statement);
  say('alerts');
  await run(EXPIRED);
  const [counted] = await run<Record<string, string>>(COUNTS);
  for (const [what, n] of Object.entries(counted!)) rows.push({ what, value: Number(n), unit: '' });
  return rows;
}

/** A quarter of the events has a bill of lading of its own and one of two hundred certificates. */
const DOCUMENTS = `update traceability.event e set documents = jsonb_build_array(
    jsonb_build_object('type', 'BILL_OF_LADING', 'number', 'BL-' || left(e.id::text, 13), 'issuer', 'Carrier ' || (e.block_number % 20),
      'sha256', encode(sha256(convert_to(e.id::text, 'utf8')), 'hex')),
    jsonb_build_object('type', 'ORGANIC_CERTIFICATE', 'number', 'C-' || (e.block_number % 200), 'issuer', 'Certifier ' || (e.block_number % 5),
      'validFrom', '2026-01-01', 'validTo', '2026-12-31'))
  where e.tenant_id = $1 and left(e.id::text, 1) in ('0', '4', '8', 'c') and e.block_number is not null and e.documents = '[]' returning e.id`;

/**
 * Each change of a custodian that the seeded lots tell of, as custody would project it: offered in the version before,
 * accepted within hours to five days. One in twenty of the lots was rejected by somebody first.
 */
const TRANSFERS = `
  with handed as materialized (
    select n.tenant_id, n.token_id, n.chain_id, n.contract, p.custodian as giver, n.custodian as taker, p.from_block as offered, p.from_log as offered_log,
      n.from_block as closed, n.from_log as closed_log, n.minted_at + make_interval(hours => 5) as at,
      make_interval(mins => (n.token_id * 37 % 7200)::integer) as pending, row_number() over (order by n.from_block, n.from_log, n.token_id) as offer_no
    from traceability.lot p join traceability.lot n on n.tenant_id = $1 and n.token_id = p.token_id and (n.from_block, n.from_log) = (p.to_block, p.to_log)
    where p.tenant_id = $1 and n.custodian <> p.custodian
  ), answered as (
    select h.*, 'accepted' as status from handed h
    union all
    select h.tenant_id, h.token_id, h.chain_id, h.contract, h.giver, h.taker, h.offered, h.offered_log, h.closed, h.closed_log, h.at,
      h.pending / 2, h.offer_no + 100000000, 'rejected' from handed h where h.token_id % 20 = 0
  )
  insert into custody.transfer (tenant_id, id, chain_id, contract, token_id, named_token_id, offer_no, status, offered_from, offered_to, offered_at,
    offered_block, offered_tx, offered_log, offered_tx_log, closed_from, closed_to, closed_at, closed_block, closed_tx, closed_log, closed_tx_log)
  select a.tenant_id, a.token_id || '-' || a.offer_no, a.chain_id, a.contract, a.token_id, a.token_id, a.offer_no, a.status, a.giver, a.taker, a.at,
    a.offered, '0x' || md5('offer' || a.offer_no), a.offered_log, 0, a.giver, a.taker, a.at + a.pending, a.closed, '0x' || md5('end' || a.offer_no), a.closed_log, 0
  from answered a on conflict do nothing`;

const POINTER = `insert into reporting.pointer (tenant_id, id, kind, subject_kind, subject_id, token_id, tlc, process_type, value, resolved, matches, status,
    detail, org_ids, checked_at)`;
const NOW = (n: string): string => `timestamptz '2026-11-01 00:00Z' + make_interval(mins => (${n} % 40000)::int)`;
const LOT_POINTERS = `${POINTER}
  select $1, left(md5('nft' || l.token_id), 16), 'nft', 'lot', l.token_id, l.token_id, l.tlc, null, l.token_id, true, true, 'ok', 'As on chain.',
    coalesce(array[w.org_id::text], '{}'), ${NOW('l.token_id')}
  from traceability.lot_v1 l left join identity.wallet_v1 w on w.tenant_id = $1 and w.address = l.custodian where l.tenant_id = $1 on conflict do nothing`;
const EVENT_POINTERS = `${POINTER}
  select $1, left(md5(k.kind || e.id), 16), k.kind, 'event', e.id, null, e.output_tlc, e.process_type, e.data_hash, true, e.block_number % 5000 > 0,
    case when e.block_number % 5000 > 0 then 'ok' else 'mismatch' end, 'Checked.', array[e.org_id], ${NOW('e.block_number')}
  from traceability.event_v1 e cross join (values ('cid')) k(kind) where e.tenant_id = $1 and e.block_number is not null on conflict do nothing`;
const TALLY = `insert into reporting.pointer_tally (tenant_id, org_id, day, kind, status, n, matching)
  select tenant_id, org_id, coalesce(day, '-infinity'), kind, status, count(*), count(*) filter (where resolved and matches)
  from (select *, (checked_at at time zone 'utc')::date as day from reporting.pointer where tenant_id = $1) p
  group by grouping sets ((tenant_id, org_id, day, kind, status), (tenant_id, org_id, kind, status))`;

const EXPIRED = `
  insert into reporting.alert (tenant_id, id, source, type, severity, subject_kind, subject_id, token_id, tlc, key, title, detail, evidence, threshold,
    group_name, org_ids, first_seen_at, detected_at)
  select l.tenant_id, left(encode(sha256(convert_to('LOT_EXPIRED|' || l.id || '|', 'utf8')), 'hex'), 16), 'lot', 'LOT_EXPIRED', 'critical', 'lot', l.id,
    l.token_id, l.tlc, '', l.tlc || ' is past its date and still in stock', 'Its date was ' || l.expires_at::date || '.', '{}', '{}',
    coalesce(l.asset_type_name, ''), coalesce(array[w.org_id::text], '{}'), l.expires_at, l.expires_at
  from traceability.lot_v1 l left join identity.wallet_v1 w on w.tenant_id = $1 and w.address = l.custodian
  where l.tenant_id = $1 and l.expires_at <= now() and l.retired_at is null and not l.used_up and not l.is_container
  on conflict do nothing`;

const COUNTS = `select
  (select count(*) from reporting.alert where tenant_id = $1 and resolved_at is null) as "open alerts",
  (select count(*) from reporting.document where tenant_id = $1) as documents,
  (select count(*) from reporting.document_use where tenant_id = $1) as "uses of documents",
  (select count(*) from custody.transfer where tenant_id = $1) as "lots handed over, or refused",
  (select sum(n) from reporting.pointer_tally where tenant_id = $1 and day = '-infinity') as "pointers that were checked",
  (select count(*) from reporting.stock_lot where tenant_id = $1) as "lots in stock",
  (select count(*) from reporting.stock_cell where tenant_id = $1) as "cells of stock"`;
