import type { LotRow } from '../lots/lot.js';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { TenantTx } from '#persistence';
import type { LotStatus } from '../contract/lots.js';
import type { Masses } from './lineage-graph.js';
import { fromText, idList, textSql, SHARED_COLUMNS, type SharedRow } from '../lots/columns.queries.js';
import { type StateAsOf, StateSql, parametersOf } from '../lots/lot-state.queries.js';

/** What a recall needs of a lot. What many lots have in common is one object for all of them. Masses in kilograms. */
export interface TracebackRow extends Pick<LotRow, OwnColumn> {
  /** Of the event that made it. */
  readonly masses: Masses;
  readonly producedKg: number | null;
  readonly shared: SharedFacts;
}

type OwnColumn =
  | ('tokenId' | 'tlc' | 'key' | 'serial' | 'mintEventId' | 'fromBlock' | 'containerTokenId' | 'expiresAt')
  | ('quantity' | 'remaining' | 'leftSupplyChain' | 'splitFrom');

/** What many lots have in common: shared columns of their rows, values derived from these, and their mint event. */
export interface SharedFacts extends SharedRow {
  readonly status: LotStatus;
  readonly retired: boolean;
  readonly recalled: boolean;
  readonly contained: boolean;
  readonly expired: boolean;
  readonly onHold: boolean;
  readonly recallAffected: boolean;
  readonly mintedByOrg: string | null;
  /** Of the event that made them: its process, which country it says, and how many lots it made. */
  readonly map: string | null;
  readonly version: string | null;
  readonly processType: string | null;
  readonly country: string | null;
  readonly made: number;
}

interface Row {
  readonly tlc: string;
  /** Null: the code itself. */
  readonly key: string | null;
  readonly serial: string | null;
  readonly own: string;
  readonly shared: string;
}

/** The lots that are known, in any order, without their places, which cost a statement of their own. */
export async function tracebackLots(tx: TenantTx, tokenIds: readonly bigint[], at: StateAsOf): Promise<readonly TracebackRow[]> {
  const reading = new TracebackReading(at, '', () => ({}));
  reading.add(tokenIds);
  await reading.on(tx);
  return [...reading.lots.values()];
}

/** Rows are read in parts: one part is decoded while the database reads the next. */
const PART = 500;

/** The same, with more of each, on as many connections as there are, and of lots that become known one after another. */
export class TracebackReading<More> {
  /** By token id, in any order. */
  readonly lots = new Map<bigint, TracebackRow & { readonly more: More }>();
  private readonly known = new Map<string, SharedFacts>();
  private readonly tokenIds = new Set<bigint>();
  private waiting: bigint[] = [];
  private stopped = false;

  /**
   * @param columns of the lot `l` and of `e`, the event that made it
   * @param more picks what is kept of a row; the rest of it can be freed
   */
  constructor(
    private readonly at: StateAsOf,
    private readonly columns: string,
    private readonly more: (row: More) => More,
  ) {}

  /** To be read; one that is known already is read once. */
  add(tokenIds: readonly bigint[]): void {
    if (this.stopped) return;
    this.waiting.push(...tokenIds.filter((tokenId) => this.tokenIds.size < this.tokenIds.add(tokenId).size));
  }

  /** Nobody waits for the rest any more: parts that were requested still arrive, no other part is requested. */
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
      // Awaited in the next iteration, unless this one fails.
      coming?.catch(() => undefined);
      await yieldToEventLoop();
      for (const row of rows) {
        const lot = tracedLot(row, this.sharedOf(row.shared), this.more(row));
        this.lots.set(lot.tokenId, lot);
      }
    }
  }

  private next(tx: TenantTx): Promise<readonly (Row & More)[]> | null {
    const part = this.waiting.splice(0, PART);
    return part.length === 0 ? null : rowsOf<More>(tx, part, this.at, this.columns);
  }

  private sharedOf(text: string): SharedFacts {
    let shared = this.known.get(text);
    if (!shared) this.known.set(text, (shared = sharedIn(text)));
    return shared;
  }
}

function rowsOf<More>(tx: TenantTx, tokenIds: readonly bigint[], at: StateAsOf, columns: string): Promise<readonly (Row & More)[]> {
  const { values, parameter } = parametersOf(tx);
  const ids = `${parameter(idList(tokenIds))}::bigint[]`;
  const state = new StateSql(at, parameter);
  return tx.sql<Row & More>(
    // Laterals keep the planner to the indexes, whatever it believes about the number of lots.
    `select l.tlc, nullif(l.key, l.tlc) as key, l.serial, row(${OWN.join(', ')})::text as own, ${sharedSql(state, ids)} as shared${columns}
     from unnest(${ids}) as n(token_id)
     cross join lateral (
       select l.*, ${state.heldAmong(`= any(${ids})`)} as held
       from traceability.lot l where l.tenant_id = $1 and l.token_id = n.token_id and ${state.current} offset 0) l
     left join lateral (
       select e.input_kg, e.main_output_kg, e.co_product_kg, ${state.words('declared_loss_kg')} as declared_loss_kg,
         ${state.words('metadata')} as metadata, e.org_id, e.process_type, e.process_map_name, e.process_map_version,
         ${state.words('location')} ->> 'country' as country, case when l.split_from is null then cardinality(e.output_token_ids) else 1 end as made
       from traceability.event e where e.tenant_id = $1 and e.id = l.mint_event_id offset 0) e on true`,
    values,
  );
}

interface SharedColumn {
  readonly property: string;
  /** `{status}`, `{now}` and `{affected}` are filled in. */
  readonly sql: string;
  readonly read: (text: string | null) => unknown;
}

const flag = (text: string | null): boolean => text === 't';
const word = (text: string | null): string | null => text;

/** Values derived from a lot, and columns of its mint event. */
const DERIVED: { readonly [Property in Exclude<keyof SharedFacts, keyof SharedRow>]: readonly [string, SharedColumn['read']] } = {
  status: ['{status}', word],
  retired: ['l.retired_at is not null', flag],
  recalled: ['l.recalled_at is not null', flag],
  contained: ['l.container_token_id is not null', flag],
  expired: ['l.expires_at <= {now}', flag],
  onHold: ['l.held', flag],
  recallAffected: ['{affected}', flag],
  mintedByOrg: ['e.org_id', word],
  map: ['e.process_map_name', word],
  version: ['e.process_map_version', word],
  processType: ['e.process_type', word],
  country: ['e.country', word],
  made: ['e.made', (text) => Number(text ?? 1)],
};

/** In this order they are read. */
const COLUMNS: readonly SharedColumn[] = [
  ...SHARED_COLUMNS.map((column) => ({
    property: column.property,
    sql: textSql(column, 'l'),
    read: (text: string | null) => fromText(column.type, text),
  })),
  ...Object.entries(DERIVED).map(([property, [sql, read]]) => ({ property, sql, read })),
];

/** Columns as the one text of a row: forty of them for each of ten thousand lots cost more than finding the lots. */
const SHARED = `row(${COLUMNS.map(({ sql }) => sql).join(', ')})::text`;

const sharedSql = (state: StateSql, ids: string): string =>
  SHARED.replace('{status}', state.statusBy('nullif(l.held, false)'))
    .replace('{now}', state.now)
    .replace('{affected}', state.affectedAmong(`= any(${ids})`));

function sharedIn(text: string): SharedFacts {
  const fields = fieldsOf(text);
  return Object.fromEntries(COLUMNS.map(({ property, read }, i) => [property, read(fields[i]!)])) as unknown as SharedFacts;
}

/** The fields of a row as PostgreSQL writes it: quoted where they must be, with quotes and backslashes doubled; null is empty text. */
function fieldsOf(row: string): (string | null)[] {
  const fields = row.slice(0, -1).matchAll(/[(,](?:"((?:[^"\\]|""|\\\\)*)"|([^,]*))/g);
  return Array.from(fields, ([, quoted, plain]) => (plain === undefined ? quoted!.replaceAll(/(["\\])\1/g, '$1') : plain || null));
}

/** Numbers, in which nothing is quoted. */
const OWN = [
  ...['l.token_id', 'l.mint_event_id', 'l.quantity', 'l.remaining', 'l.container_token_id', 'extract(epoch from l.expires_at)'],
  ...['l.from_block', 'e.input_kg', 'e.main_output_kg', 'e.co_product_kg', 'e.declared_loss_kg', 'l.left_supply_chain'],
  'l.split_from',
];

const numberIn = (text: string | undefined): number | null => (text ? Number(text) : null);
const wholeIn = (text: string | undefined): bigint | null => (text ? BigInt(text) : null);

function tracedLot<More>({ tlc, key, serial, own }: Row, shared: SharedFacts, more: More): TracebackRow & { readonly more: More } {
  // By place: ten thousand times, taking an array apart would cost more than making it.
  const fields = own.slice(1, -1).split(',');
  const whole = fields[2];
  const rest = fields[3];
  const expiry = fields[5];
  const quantity = wholeIn(whole);
  return {
    tokenId: BigInt(fields[0]!),
    tlc,
    key: key ?? tlc,
    serial,
    mintEventId: fields[1]!,
    quantity,
    remaining: whole === rest ? quantity : wholeIn(rest),
    leftSupplyChain: BigInt(fields[11]!),
    splitFrom: wholeIn(fields[12]),
    containerTokenId: wholeIn(fields[4]),
    expiresAt: expiry ? new Date(Math.round(1000 * Number(expiry))) : null,
    fromBlock: Number(fields[6]),
    masses: {
      inputKg: numberIn(fields[7]),
      mainKg: numberIn(fields[8]),
      coProductKg: numberIn(fields[9]),
      declaredLossKg: numberIn(fields[10]),
    },
    producedKg: quantity === null || shared.unitKg === null ? null : (Number(quantity) / 1e6) * shared.unitKg,
    shared,
    more,
  };
}
