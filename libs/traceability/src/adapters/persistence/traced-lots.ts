import type { TenantTx } from '#persistence';
import type { EventMasses } from '../../domain/lot-use.js';
import { idList } from './id-lists.js';
import { type At, SHOWN_COLUMNS, type ShownLot, State, parametersOf, readLot } from './lot-reads.js';

/** What a recall asks of a lot beside what is shown of it. Masses in kilograms. */
export interface TracedLot extends ShownLot {
  readonly pastCustodians: readonly string[];
  readonly country: string | null;
  /** The event that made it: how many lots it made, and its masses. */
  readonly made: number;
  readonly masses: EventMasses;
  readonly producedKg: number | null;
}

/**
 * The known ones among these, in any order, without their places, which are dear: all that recalls tell of a lot and count of it, read
 * once.
 */
export async function tracedLots(tx: TenantTx, tokenIds: readonly bigint[], at: At): Promise<readonly TracedLot[]> {
  if (tokenIds.length === 0) return [];
  const { values, parameter } = parametersOf(tx);
  const ids = `${parameter(idList(tokenIds))}::bigint[]`;
  const state = new State(at, parameter);
  const rows = await tx.sql(
    // Laterals keep the planner to the indexes: it takes ten thousand ids for reason enough to read all events of everybody.
    `select ${state.shown(ids)}, ${TRACED}
     from unnest(${ids}) as n(token_id)
     cross join lateral (
       select l.* from traceability.lot l where l.tenant_id = $1 and l.token_id = n.token_id and ${state.current} offset 0) l
     ${state.holds}
     left join lateral (
       select e.input_kg, e.main_output_kg, e.co_product_kg, e.declared_loss_kg, e.metadata, e.org_id, e.process_type,
         e.process_map_name, e.process_map_version, e.location ->> 'country' as country, cardinality(e.output_token_ids) as made
       from traceability.event e where e.tenant_id = $1 and e.id = l.mint_event_id offset 0) e on true
     left join lateral (${state.before}) b on true`,
    values,
  );
  return rows.map(tracedLot);
}

const TRACED = `b.custodians as past_custodians, e.country, coalesce(e.made, 1) as made,
  e.input_kg::float8 as input_kg, e.main_output_kg::float8 as main_kg, e.co_product_kg::float8 as co_kg,
  e.declared_loss_kg::float8 as loss_kg`;

const tracedLot = (row: Record<string, unknown>): TracedLot => {
  const lot = readLot<ShownLot>(SHOWN_COLUMNS, row);
  return Object.assign(lot, {
    pastCustodians: row['past_custodians'] === null ? [] : [...new Set(row['past_custodians'] as readonly string[])],
    country: row['country'] as string | null,
    made: row['made'] as number,
    masses: {
      inputKg: row['input_kg'] as number | null,
      mainKg: row['main_kg'] as number | null,
      coProductKg: row['co_kg'] as number | null,
      declaredLossKg: row['loss_kg'] as number | null,
    },
    producedKg: lot.quantity === null || lot.unitKg === null ? null : (Number(lot.quantity) / 1e6) * lot.unitKg,
  });
};
