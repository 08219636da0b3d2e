import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TenantTx } from '#persistence';
import type { LotStatus } from '../../contract.js';
import type { RetireReason } from '../../domain/lot.js';
import type { EventMasses } from '../../domain/lot-use.js';
import { idList, unseen } from './id-lists.js';
import { type At, State, parametersOf } from './lot-reads.js';

/** What a recall asks of a lot, and what many lots have in common is there once for all of them. Masses in kilograms. */
export interface TracedLot {
  readonly tokenId: bigint;
  readonly tlc: string;
  readonly mintEventId: string;
  readonly quantity: bigint | null;
  readonly remaining: bigint | null;
  readonly containerTokenId: bigint | null;
  readonly expiresAt: Date | null;
  readonly fromBlock: number;
  /** Of the event that made it. */
  readonly masses: EventMasses;
  readonly producedKg: number | null;
  readonly alike: Alike;
  readonly pastCustodians: readonly string[];
}

/** What ten thousand lots have in some dozens of combinations, each of which is read once. */
export interface Alike {
  readonly assetType: string | null;
  readonly assetTypeName: string | null;
  readonly gtin: string | null;
  readonly processMapName: string | null;
  readonly processMapVersion: string | null;
  readonly uom: string | null;
  readonly unitKg: number | null;
  readonly custodian: string;
  readonly pendingCustodian: string | null;
  readonly status: LotStatus;
  readonly retireReason: RetireReason | null;
  readonly depth: number;
  readonly usedUp: boolean;
  readonly resolved: boolean;
  readonly retired: boolean;
  readonly recalled: boolean;
  readonly contained: boolean;
  readonly holdsRecalled: boolean;
  readonly expired: boolean;
  readonly onHold: boolean;
  readonly recallAffected: boolean;
  readonly mintedByOrg: string | null;
  /** Of the event: its process, which country it says, and how many lots it made. */
  readonly map: string | null;
  readonly version: string | null;
  readonly processType: string | null;
  readonly country: string | null;
  readonly made: number;
}

interface Row {
  readonly tlc: string;
  readonly numbers: string;
  readonly alike: string;
}

/** The known ones among these, in any order, without their places, which are dear. */
export async function tracedLots(tx: TenantTx, tokenIds: readonly bigint[], at: At): Promise<readonly TracedLot[]> {
  return tracedWith(tx, tokenIds, at, '', (lot) => lot);
}

/** Read in parts, so that what came is taken in while the database goes on. */
const PART = 500;

/**
 * The same, with more of each.
 * @param more columns, of the lot `l` and of `e`, the event that made it
 * @param keep what is kept of each; what the rest was read from is let go
 */
export async function tracedWith<More, Kept>(
  tx: TenantTx,
  tokenIds: readonly bigint[],
  at: At,
  more: string,
  keep: (lot: TracedLot, row: More) => Kept,
): Promise<readonly Kept[]> {
  const holders = tokenIds.length === 0 ? NOBODY : await holdersOf(tx, tokenIds, at);
  const alikes = new Map<string, Alike>();
  const traced: Kept[] = [];
  let coming = rowsOf<More>(tx, tokenIds.slice(0, PART), at, more);
  for (let from = 0; from < tokenIds.length; from += PART) {
    const rows = await coming;
    coming = rowsOf<More>(tx, tokenIds.slice(from + PART, from + 2 * PART), at, more);
    // It is waited for in the next round, unless this one fails.
    coming.catch(() => undefined);
    await nextTurn();
    for (const row of rows) {
      let alike = alikes.get(row.alike);
      if (!alike) alikes.set(row.alike, (alike = alikeIn(row.alike)));
      traced.push(keep(tracedLot(row, alike, holders), row));
    }
  }
  return traced;
}

async function rowsOf<More>(tx: TenantTx, tokenIds: readonly bigint[], at: At, more: string): Promise<readonly (Row & More)[]> {
  if (tokenIds.length === 0) return [];
  const { values, parameter } = parametersOf(tx);
  const ids = `${parameter(idList(tokenIds))}::bigint[]`;
  const state = new State(at, parameter);
  return tx.sql<Row & More>(
    // Laterals keep the planner to the indexes, whatever it believes about the number of lots.
    `select l.tlc, ${joined(NUMBERS, ',')} as numbers, ${alikeSql(state, ids)} as alike${more}
     from unnest(${ids}) as n(token_id)
     cross join lateral (
       select l.* from traceability.lot l where l.tenant_id = $1 and l.token_id = n.token_id and ${state.current} offset 0) l
     ${state.holds}
     left join lateral (
       select e.input_kg, e.main_output_kg, e.co_product_kg, e.declared_loss_kg, e.metadata, e.org_id, e.process_type,
         e.process_map_name, e.process_map_version, e.location ->> 'country' as country, cardinality(e.output_token_ids) as made
       from traceability.event e where e.tenant_id = $1 and e.id = l.mint_event_id offset 0) e on true`,
    values,
  );
}

type Column<Value> = readonly [sql: string, read: (text: string) => Value];

const text = (text: string): string => text;
const orNull =
  <Value>(read: (text: string) => Value) =>
  (text: string): Value | null =>
    text === '' ? null : read(text);
/** Words of documents come as JSON, so that nothing in them is taken for the end of a column. */
const word = (column: string): Column<string | null> => [`to_json(${column})`, orNull((text) => JSON.parse(text) as string)];
type Flag = { [Property in keyof Alike]: Alike[Property] extends boolean ? Property : never }[keyof Alike];

/** Conditions; all of them are one number, in which the first is the lowest bit. `{now}` and `{affected}` are filled in. */
const FLAGS: Readonly<Record<Flag, string>> = {
  usedUp: 'l.used_up',
  resolved: 'l.resolved',
  retired: 'l.retired_at is not null',
  recalled: 'l.recalled_at is not null',
  contained: 'l.container_token_id is not null',
  holdsRecalled: 'l.holds_recalled',
  expired: 'l.expires_at <= {now}',
  onHold: 'h.held_at is not null',
  recallAffected: '{affected}',
};

const COLUMNS: { readonly [Property in Exclude<keyof Alike, Flag | 'status'>]: Column<Alike[Property]> } = {
  assetType: word('l.asset_type'),
  assetTypeName: word('l.asset_type_name'),
  gtin: word('l.gtin'),
  processMapName: word('l.process_map_name'),
  processMapVersion: word('l.process_map_version'),
  uom: word('l.uom'),
  unitKg: ['l.unit_kg', orNull(Number)],
  custodian: ['l.custodian', text],
  pendingCustodian: ['l.pending_custodian', orNull(text)],
  retireReason: ['l.retire_reason', orNull((text) => text as RetireReason)],
  depth: ['l.depth', Number],
  mintedByOrg: ['e.org_id', orNull(text)],
  map: word('e.process_map_name'),
  version: word('e.process_map_version'),
  processType: word('e.process_type'),
  country: word('e.country'),
  made: ['e.made', (text) => Number(text || 1)],
};

function alikeSql(state: State, ids: string): string {
  const bits = Object.values(FLAGS).map((condition, i) => `case when ${condition} then ${2 ** i} else 0 end`);
  const flags = bits
    .join(' + ')
    .replace('{now}', state.now)
    .replace('{affected}', state.affectedAmong(`= any(${ids})`));
  return joined([flags, state.status, ...Object.values(COLUMNS).map(([sql]) => sql)], NEXT);
}

/** Columns as one text: forty of them for each of ten thousand lots cost more than finding the lots. */
const joined = (columns: readonly string[], between: string): string => `concat(${columns.join(`, '${between}', `)})`;
const NEXT = '\u001f';

const NUMBERS = [
  ...['l.token_id', 'l.mint_event_id', 'l.quantity', 'l.remaining', 'l.container_token_id', 'extract(epoch from l.expires_at)'],
  ...['l.from_block', 'e.input_kg', 'e.main_output_kg', 'e.co_product_kg', 'e.declared_loss_kg'],
];

function alikeIn(text: string): Alike {
  const [bits, status, ...parts] = text.split(NEXT);
  const alike: Record<string, unknown> = { status };
  Object.keys(FLAGS).forEach((flag, i) => (alike[flag] = (Number(bits) & (2 ** i)) !== 0));
  Object.entries(COLUMNS).forEach(([property, [, read]], i) => (alike[property] = read(parts[i]!)));
  return alike as unknown as Alike;
}

const numberIn = (text: string | null | undefined): number | null => (text ? Number(text) : null);
const wholeIn = (text: string | undefined): bigint | null => (text ? BigInt(text) : null);

function tracedLot({ tlc, numbers }: Row, alike: Alike, holders: Holders): TracedLot {
  const [token, mintEventId, whole, rest, container, expiry, fromBlock, input, main, co, loss] = numbers.split(',');
  const [tokenId, quantity] = [BigInt(token!), wholeIn(whole)];
  return {
    tokenId,
    tlc,
    mintEventId: mintEventId!,
    quantity,
    remaining: whole === rest ? quantity : wholeIn(rest),
    containerTokenId: wholeIn(container),
    expiresAt: expiry ? new Date(Math.round(1000 * Number(expiry))) : null,
    fromBlock: Number(fromBlock),
    masses: { inputKg: numberIn(input), mainKg: numberIn(main), coProductKg: numberIn(co), declaredLossKg: numberIn(loss) },
    producedKg: quantity === null || alike.unitKg === null ? null : (Number(quantity) / 1e6) * alike.unitKg,
    alike,
    pastCustodians: holders.get(token!)?.filter((custodian) => custodian !== alike.custodian) ?? [],
  };
}

type Holders = ReadonlyMap<string, readonly string[]>;
const NOBODY: Holders = new Map();

/** Everybody who held them, by token id, of those that somebody else held once: most lots never change hands. */
async function holdersOf(tx: TenantTx, tokenIds: readonly bigint[], { block }: At): Promise<Holders> {
  const then = block === null ? '' : 'and v.from_block <= $3';
  const rows = await tx.sql<{ token: string; custodians: readonly string[] }>(
    `with changed as (
       select v.token_id from traceability.lot v where v.tenant_id = $1 and v.token_id = any(${unseen('$2')}) ${then}
       group by v.token_id having min(v.custodian collate "C") <> max(v.custodian collate "C"))
     select c.token_id as token, v.custodians from changed c cross join lateral (
       select array_agg(distinct v.custodian) as custodians from traceability.lot v
       where v.tenant_id = $1 and v.token_id = c.token_id ${then}) v`,
    [tx.tenantId, idList(tokenIds), ...(block === null ? [] : [block])],
  );
  return new Map(rows.map(({ token, custodians }) => [token, custodians]));
}
