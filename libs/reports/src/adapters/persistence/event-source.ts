import { ChainProfile } from '#chain';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { AlertSource, type Followed, type Fresh } from '../../alerts.ports.js';
import { type Circumstances, type MapRules, mapOf, newestMap } from '../../domain/alerts/circumstances.js';
import type { EventFacts, EventInput } from '../../domain/alerts/facts.js';
import { rememberDates } from './document-dates.js';
import { LAST, eventChanges } from './event-changes.js';
import { originsOf } from './event-origins.js';
import { type UsedInput, usedMass } from './used-mass.js';
import { type Figure, figure } from '../../domain/figures.js';

interface InputRow {
  readonly tokenId: number;
  readonly tlc: string;
  readonly resolved: boolean;
  readonly mapName: string | null;
  readonly assetType: string | null;
  readonly madeAt: string | null;
}

interface Row {
  readonly id: string;
  readonly process_type: string | null;
  readonly process_label: string | null;
  readonly kind: string | null;
  readonly process_map_name: string | null;
  readonly process_map_version: string | null;
  readonly event_time: Date | null;
  readonly record_time: Date;
  readonly output_tlc: string | null;
  readonly org_id: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly documents: readonly Readonly<Record<string, unknown>>[];
  readonly country: string | null;
  readonly calldata_mismatch: boolean;
  readonly resolved: boolean;
  readonly inputs: readonly UsedInput[];
  readonly input_lots: readonly InputRow[] | null;
  readonly outputs: number;
  readonly input_kg: Figure;
  readonly main_output_kg: Figure;
  readonly co_product_kg: Figure;
  readonly declared_loss_kg: Figure;
  readonly gap_kg: Figure;
  readonly gap_ratio: Figure;
  readonly mass_tolerance: Figure;
  readonly balance_outside: boolean | null;
  readonly yield: Figure;
  readonly yield_min: Figure;
  readonly yield_max: Figure;
  readonly yield_outside: boolean | null;
}

/** Events as they land, are voided or corrected: followed by block, so that each is read once and not at every round. */
@Injectable()
export class EventSource extends AlertSource<EventFacts> {
  constructor(private readonly chain: ChainProfile) {
    super();
  }

  override async fresh(tx: TenantTx, followed: Followed): Promise<Fresh> {
    return changedEvents(tx, this.chain.chainId, followed);
  }

  override async facts(tx: TenantTx, ids: readonly string[], at: Circumstances): Promise<readonly EventFacts[]> {
    const rows = await tx.sql<Row>(FACTS, [tx.tenantId, ids]);
    const preserving = rows.filter((row) => newestMap(at, row.process_map_name)?.chainOfCustody === 'identity_preserved');
    const origins = await originsOf(
      tx,
      preserving.map(({ id }) => id),
    );
    return rows.map((row) => factsOf(row, at, origins.get(row.id) ?? null));
  }

  override remember(tx: TenantTx, ids: readonly string[], facts: readonly EventFacts[]): Promise<void> {
    return rememberDates(tx, ids, facts);
  }
}

/** The events changed in the next blocks, each as the one whose words it changes. A place is `<block>:<event id>`, all of it behind us. */
export async function changedEvents(tx: TenantTx, chainId: number, { place, final, head }: Followed): Promise<Fresh> {
  const rows = await eventChanges(tx, chainId, { after: place, head, limit: AT_ONCE });
  const more = rows.length >= AT_ONCE;
  const last = rows.at(-1);
  // What can still be undone is looked at again in the next round.
  const end = more && last && last.block <= final ? `${last.block}:${last.id}` : null;
  const settled = Number(place?.split(':')[0] ?? -1) > Math.min(final, head) ? place : `${Math.min(final, head)}:${LAST}`;
  return { ids: [...new Set(rows.map(({ root }) => root))], place: end ?? settled, more: end !== null };
}

const AT_ONCE = 200;

const FACTS = `select e.id, e.process_type, e.process_label, e.kind, e.process_map_name, e.process_map_version, e.event_time, e.record_time, e.output_tlc,
    e.org_id, e.metadata, e.documents, e.location ->> 'country' as country, e.calldata_mismatch, e.resolved, e.inputs,
    cardinality(e.output_token_ids) as outputs, e.input_kg, e.main_output_kg, e.co_product_kg, e.declared_loss_kg, e.gap_kg, e.gap_ratio,
    e.mass_tolerance, e.balance_outside, e.yield, e.yield_min, e.yield_max, e.yield_outside, i.lots as input_lots
  from traceability.event_v1 e
  left join lateral (
    select jsonb_agg(jsonb_build_object('tokenId', l.token_id, 'tlc', l.tlc, 'resolved', l.resolved, 'mapName', l.process_map_name,
      'assetType', l.asset_type, 'madeAt', m.event_time) order by l.token_id) as lots
    from traceability.lot_v1 l
    left join traceability.event_v1 m on m.tenant_id = l.tenant_id and m.id = l.mint_event_id
    where l.tenant_id = $1 and l.token_id = any (e.input_token_ids[1:500])
  ) i on true
  where e.tenant_id = $1 and e.id = any ($2::uuid[]) and e.counts
  order by e.id`;

function factsOf(row: Row, at: Circumstances, origins: readonly string[] | null): EventFacts {
  const map = mapOf(at, { mapName: row.process_map_name, mapVersion: row.process_map_version });
  return {
    id: row.id,
    processType: row.process_type,
    processLabel: row.process_label,
    kind: row.kind,
    mapName: row.process_map_name,
    mapVersion: row.process_map_version,
    eventTime: row.event_time,
    recordTime: row.record_time,
    outputTlc: row.output_tlc,
    orgIds: row.org_id === null ? [] : [row.org_id],
    metadata: row.metadata ?? {},
    documents: row.documents,
    country: row.country,
    calldataMismatch: row.calldata_mismatch,
    resolved: row.resolved,
    inputs: (row.input_lots ?? []).map((lot) => inputOf(lot, row, map)),
    outputs: row.outputs,
    ...massesOf(row),
    origins,
  };
}

type Masses = Pick<EventFacts, 'inputKg' | 'mainOutputKg' | 'coProductKg' | 'declaredLossKg' | 'gapKg' | 'gapRatio' | 'massTolerance'> &
  Pick<EventFacts, 'balanceOutside' | 'yield' | 'yieldMin' | 'yieldMax' | 'yieldOutside'>;

const massesOf = (row: Row): Masses => ({
  inputKg: figure(row.input_kg),
  mainOutputKg: figure(row.main_output_kg),
  coProductKg: figure(row.co_product_kg),
  declaredLossKg: figure(row.declared_loss_kg),
  gapKg: figure(row.gap_kg),
  gapRatio: figure(row.gap_ratio),
  massTolerance: figure(row.mass_tolerance),
  balanceOutside: row.balance_outside ?? false,
  yield: figure(row.yield),
  yieldMin: figure(row.yield_min),
  yieldMax: figure(row.yield_max),
  yieldOutside: row.yield_outside ?? false,
});

const inputOf = (lot: InputRow, row: Row, map: MapRules | null): EventInput => ({
  tokenId: BigInt(lot.tokenId),
  tlc: lot.tlc,
  resolved: lot.resolved,
  mapName: lot.mapName,
  madeAt: lot.madeAt === null ? null : new Date(lot.madeAt),
  usedKg: usedMass(lot, row.inputs, map),
});
