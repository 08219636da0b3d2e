import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TenantTx } from '#persistence';
import type { LotStatus } from '../../contract.js';
import type { RetireReason } from '../../domain/lot.js';
import type { EventMasses } from '../../domain/lot-use.js';
import { idList } from './id-lists.js';
import { type At, State, parametersOf } from './lot-reads.js';

/** What a recall asks of a lot, and what many lots have in common is there once for all of them. Masses in kilograms. */
export interface TracedLot {
  readonly tokenId: bigint;
  readonly tlc: string;
  readonly mintEventId: string;
  readonly quantity: bigint | null;
  readonly remaining: bigint | null;
  readonly outThere: bigint;
  readonly containerTokenId: bigint | null;
  readonly expiresAt: Date | null;
  readonly fromBlock: number;
  /** Of the event that made it. */
  readonly masses: EventMasses;
  readonly producedKg: number | null;
  readonly alike: Alike;
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
  readonly own: string;
  readonly alike: string;
}

/** The known ones among these, in any order, without their places, which are dear. */
export async function tracedLots(tx: TenantTx, tokenIds: readonly bigint[], at: At): Promise<readonly TracedLot[]> {
  const reading = new LotReading(at, '', () => ({}));
  reading.add(tokenIds);
  await reading.on(tx);
  return [...reading.lots.values()];
}

/** Read in parts, so that what came is taken in while the database goes on. */
const PART = 500;

/** The same, with more of each, on as many connections as there are, and of lots that become known one after another. */
export class LotReading<More> {
  /** By token id, in any order. */
  readonly lots = new Map<bigint, TracedLot & { readonly more: More }>();
  private readonly alikes = new Map<string, Alike>();
  private readonly tokenIds = new Set<bigint>();
  private waiting: bigint[] = [];
  private stopped = false;

  /**
   * @param columns of the lot `l` and of `e`, the event that made it
   * @param more what is kept of them; what the rest was read from is let go
   */
  constructor(
    private readonly at: At,
    private readonly columns: string,
    private readonly more: (row: More) => More,
  ) {}

  /** To be read; one that is known already is read once. */
  add(tokenIds: readonly bigint[]): void {
    if (this.stopped) return;
    this.waiting.push(...tokenIds.filter((tokenId) => this.tokenIds.size < this.tokenIds.add(tokenId).size));
  }

  /** Nobody waits for the rest any more: what is on its way comes, and nothing else is asked for. */
  stop(): void {
    this.stopped = true;
    this.waiting = [];
  }

  /** Whether there is enough to read for a second connection. */
  get isLong(): boolean {
    return this.waiting.length > 2 * PART;
  }

  /** Takes part after part until none is left; of several connections, each takes what is next. */
  async on(tx: TenantTx): Promise<void> {
    let coming = this.next(tx);
    while (coming !== null) {
      const rows = await coming;
      coming = this.next(tx);
      // It is waited for in the next round, unless this one fails.
      coming?.catch(() => undefined);
      await nextTurn();
      for (const row of rows) {
        const lot = tracedLot(row, this.alikeOf(row.alike), this.more(row));
        this.lots.set(lot.tokenId, lot);
      }
    }
  }

  private next(tx: TenantTx): Promise<readonly (Row & More)[]> | null {
    const part = this.waiting.splice(0, PART);
    return part.length === 0 ? null : rowsOf<More>(tx, part, this.at, this.columns);
  }

  private alikeOf(text: string): Alike {
    let alike = this.alikes.get(text);
    if (!alike) this.alikes.set(text, (alike = alikeIn(text)));
    return alike;
  }
}

function rowsOf<More>(tx: TenantTx, tokenIds: readonly bigint[], at: At, columns: string): Promise<readonly (Row & More)[]> {
  const { values, parameter } = parametersOf(tx);
  const ids = `${parameter(idList(tokenIds))}::bigint[]`;
  const state = new State(at, parameter);
  return tx.sql<Row & More>(
    // Laterals keep the planner to the indexes, whatever it believes about the number of lots.
    `select l.tlc, row(${OWN.join(', ')})::text as own, ${alikeSql(state, ids)} as alike${columns}
     from unnest(${ids}) as n(token_id)
     cross join lateral (
       select l.*, ${state.heldAmong(`= any(${ids})`)} as held
       from traceability.lot l where l.tenant_id = $1 and l.token_id = n.token_id and ${state.current} offset 0) l
     left join lateral (
       select e.input_kg, e.main_output_kg, e.co_product_kg, e.declared_loss_kg, e.metadata, e.org_id, e.process_type,
         e.process_map_name, e.process_map_version, e.location ->> 'country' as country, cardinality(e.output_token_ids) as made
       from traceability.event e where e.tenant_id = $1 and e.id = l.mint_event_id offset 0) e on true`,
    values,
  );
}

type Column<Value> = readonly [sql: string, read: (text: string | null) => Value];

const word = (column: string): Column<string | null> => [column, (text) => text];
const flag = (condition: string): Column<boolean> => [condition, (text) => text === 't'];
const orNull =
  <Value>(read: (text: string) => Value) =>
  (text: string | null): Value | null =>
    text === null ? null : read(text);

/** In this order they are read. `{status}`, `{now}` and `{affected}` are filled in. */
const COLUMNS: { readonly [Property in keyof Alike]: Column<Alike[Property]> } = {
  status: ['{status}', (text) => text as LotStatus],
  usedUp: flag('l.used_up'),
  resolved: flag('l.resolved'),
  retired: flag('l.retired_at is not null'),
  recalled: flag('l.recalled_at is not null'),
  contained: flag('l.container_token_id is not null'),
  holdsRecalled: flag('l.holds_recalled'),
  expired: flag('l.expires_at <= {now}'),
  onHold: flag('l.held'),
  recallAffected: flag('{affected}'),
  assetType: word('l.asset_type'),
  assetTypeName: word('l.asset_type_name'),
  gtin: word('l.gtin'),
  processMapName: word('l.process_map_name'),
  processMapVersion: word('l.process_map_version'),
  uom: word('l.uom'),
  unitKg: ['l.unit_kg', orNull(Number)],
  custodian: ['l.custodian', (text) => text!],
  pendingCustodian: word('l.pending_custodian'),
  retireReason: ['l.retire_reason', (text) => text as RetireReason | null],
  depth: ['l.depth', Number],
  mintedByOrg: word('e.org_id'),
  map: word('e.process_map_name'),
  version: word('e.process_map_version'),
  processType: word('e.process_type'),
  country: word('e.country'),
  made: ['e.made', (text) => Number(text ?? 1)],
};

/** Columns as the one text of a row: forty of them for each of ten thousand lots cost more than finding the lots. */
const ALIKE = `row(${Object.values(COLUMNS)
  .map(([sql]) => sql)
  .join(', ')})::text`;

const alikeSql = (state: State, ids: string): string =>
  ALIKE.replace('{status}', state.statusBy('nullif(l.held, false)'))
    .replace('{now}', state.now)
    .replace('{affected}', state.affectedAmong(`= any(${ids})`));

function alikeIn(text: string): Alike {
  const fields = fieldsOf(text);
  return Object.fromEntries(Object.entries(COLUMNS).map(([property, [, read]], i) => [property, read(fields[i]!)])) as unknown as Alike;
}

/** The fields of a row as PostgreSQL writes it: quoted where they must be, with quotes and backslashes doubled; null is nothing at all. */
function fieldsOf(row: string): (string | null)[] {
  const fields = row.slice(0, -1).matchAll(/[(,](?:"((?:[^"\\]|""|\\\\)*)"|([^,]*))/g);
  return Array.from(fields, ([, quoted, plain]) => (plain === undefined ? quoted!.replaceAll(/(["\\])\1/g, '$1') : plain || null));
}

/** Numbers, in which nothing is quoted. */
const OWN = [
  ...['l.token_id', 'l.mint_event_id', 'l.quantity', 'l.remaining', 'l.container_token_id', 'extract(epoch from l.expires_at)'],
  ...['l.from_block', 'e.input_kg', 'e.main_output_kg', 'e.co_product_kg', 'e.declared_loss_kg', 'l.out_there'],
];

const numberIn = (text: string | undefined): number | null => (text ? Number(text) : null);
const wholeIn = (text: string | undefined): bigint | null => (text ? BigInt(text) : null);

function tracedLot<More>({ tlc, own }: Row, alike: Alike, more: More): TracedLot & { readonly more: More } {
  // By place: ten thousand times, taking an array apart would cost more than making it.
  const fields = own.slice(1, -1).split(',');
  const whole = fields[2];
  const rest = fields[3];
  const expiry = fields[5];
  const quantity = wholeIn(whole);
  return {
    tokenId: BigInt(fields[0]!),
    tlc,
    mintEventId: fields[1]!,
    quantity,
    remaining: whole === rest ? quantity : wholeIn(rest),
    outThere: BigInt(fields[11]!),
    containerTokenId: wholeIn(fields[4]),
    expiresAt: expiry ? new Date(Math.round(1000 * Number(expiry))) : null,
    fromBlock: Number(fields[6]),
    masses: {
      inputKg: numberIn(fields[7]),
      mainKg: numberIn(fields[8]),
      coProductKg: numberIn(fields[9]),
      declaredLossKg: numberIn(fields[10]),
    },
    producedKg: quantity === null || alike.unitKg === null ? null : (Number(quantity) / 1e6) * alike.unitKg,
    alike,
    more,
  };
}
