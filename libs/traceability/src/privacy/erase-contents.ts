import { Injectable } from '@nestjs/common';
import { type ContentKeys, type OpenedLeaf, type Path, pointerOf, WHOLE_CLASSES } from '#envelope';
import { atPointer, type Json } from '#kernel';
import { BlankCopies, type FoundCopies, revise, type TenantTx } from '#persistence';
import { ContentKeyStore, type ErasedContent, type ErasureEntry, lockErasures, type OpenedBlock, ReadContents } from '#sealed-contents';
import type { Process } from '../process-maps/process-map.js';
import { processIn } from '../process-maps/process-map.js';
import { ProcessMapQueries } from '../process-maps/process-maps.queries.js';
import { withoutValues } from './erasure.rules.js';
import { type ErasableRow, PrivacyQueries } from './privacy.queries.js';

/** Of an event that is erased: its row, its process, and what its keys open. */
export interface ErasableEvent {
  readonly row: ErasableRow;
  readonly process: Process | null;
  /** Null where there is no block, or one of version 1. */
  readonly block: OpenedBlock | null;
  readonly version: number | null;
}

export interface Erased {
  /** Notes that lost their keys. */
  readonly notes: number;
  readonly copies: readonly FoundCopies[];
}

/** Destroys the keys of values and every copy of them in the database, in one transaction: all of it happens or nothing. */
@Injectable()
export class EraseContents {
  constructor(
    private readonly stored: ReadContents,
    private readonly keys: ContentKeyStore,
    private readonly maps: ProcessMapQueries,
    private readonly copies: BlankCopies,
    private readonly events: PrivacyQueries,
  ) {}

  /** Events with their opened blocks. @param lock for who erases: until the transaction ends, nothing else of the tenant is erased */
  async open(tx: TenantTx, ids: readonly string[], lock: boolean): Promise<ErasableEvent[]> {
    if (lock) await lockErasures(tx);
    const rows = await this.events.events(tx, ids, lock);
    const opened = await this.stored.opened(
      tx,
      rows.flatMap(({ cid }) => cid ?? []),
    );
    const found: ErasableEvent[] = [];
    for (const row of rows) {
      const block = row.cid === null ? undefined : opened.get(row.cid);
      found.push({ row, process: await this.processOf(tx, row), block: block?.block ?? null, version: block?.version ?? null });
    }
    return found;
  }

  /**
   * The values are gone when the transaction is committed. What is gone already is left as it is, so it can be repeated.
   * @param everywhere of a person: the values are looked for in all rows of the tenant, not only in those of the events
   */
  async erase(tx: TenantTx, erased: readonly ErasedContent[], at: Date, everywhere: readonly string[] | null): Promise<Erased> {
    await lockErasures(tx);
    const opened = await this.stored.opened(
      tx,
      erased.map(({ cid }) => cid),
    );
    const values: Json[] = [];
    const gone = new Map(erased.map(({ cid, paths }) => [cid, paths]));
    let notes = 0;
    for (const { cid, eventId, paths } of erased) {
      const block = opened.get(cid)?.block;
      if (eventId === null) notes += Number(await this.keys.destroy(tx, cid));
      else if (block) values.push(...(await this.destroy(tx, cid, block, paths)));
    }
    await this.copies.forget(
      tx,
      erased.flatMap(({ cid, eventId }) => (eventId === null ? [cid] : [])),
    );
    const ids = erased.flatMap(({ eventId }) => eventId ?? []);
    const rows = await this.events.events(tx, ids, true);
    for (const row of rows) values.push(...valuesAt(row, pathsFor(row, gone)));
    const without = this.copies.without(values);
    for (const row of rows) await this.blank(tx, row, { paths: pathsFor(row, gone), without, at });
    // Cached answers repeat values of rows beyond those of events.
    await revise(tx);
    const copies = await this.copies.blank(tx, values, ids);
    // After a restore the log says so: it has no name to look for, but the values.
    if (everywhere === null && !erased.some(({ ofPerson }) => ofPerson)) return { notes, copies };
    const blanked = await this.copies.blank(tx, values, null, everywhere ?? []);
    if (everywhere === null || everywhere.length === 0) return { notes, copies: [...copies, ...blanked] };
    // Whatever a search still lists, the receipt says.
    const stays = (await this.copies.count(tx, everywhere)).map((copy) => ({ ...copy, stay: true, notes: [], sent: [] }));
    return { notes, copies: [...copies, ...blanked.filter(({ stay }) => !stay), ...stays] };
  }

  /** For the erasure log. */
  note(tx: TenantTx, entry: ErasureEntry): Promise<void> {
    return this.keys.insertErasure(tx, entry);
  }

  private async destroy(tx: TenantTx, cid: string, { held, leaves, tree }: OpenedBlock, paths: readonly Path[]): Promise<Json[]> {
    if (held === null || tree === null) return [];
    const texts = new Set(paths.map((path) => JSON.stringify(path)));
    const named = leaves.filter(({ path }) => texts.has(JSON.stringify(path)));
    // A class has one key: it is destroyed with the last of its values only.
    const chosen = named.filter(
      (leaf) => leaf.class === 'personal' || leaves.every((one) => one.class !== leaf.class || named.includes(one)),
    );
    if (chosen.length === 0) return [];
    const key = await this.keys.tenantKeyIn(tx);
    await this.keys.replace(tx, key, cid, {
      keys: withoutKeys(held.keys, chosen),
      hidden: [...held.hidden, ...chosen.map(({ index }) => tree[index]!)],
      erased: [...held.erased, ...chosen.map(({ path }) => path)],
    });
    return chosen.map(({ value }) => value);
  }

  private async blank(
    tx: TenantTx,
    row: ErasableRow,
    gone: { readonly paths: readonly Path[]; readonly without: ReturnType<BlankCopies['without']>; readonly at: Date },
  ) {
    const { paths, without, at } = gone;
    if (paths.length === 0) return;
    const texts = without({ warnings: row.warnings, beforeLanding: row.beforeLanding });
    const pointers = [...new Set([...row.erased, ...paths.map(pointerOf)])];
    const rest = withoutValues(row, await this.processOf(tx, row), paths);
    await this.events.blank(tx, { ...row, ...texts, ...rest, erased: pointers }, at);
  }

  private async processOf(tx: TenantTx, { processType, processMapName, processMapVersion }: ErasableRow): Promise<Process | null> {
    if (processType === null || processMapName === null || processMapVersion === null) return null;
    const map = await this.maps.version(tx, processMapName, processMapVersion);
    return (map && processIn(map, processType)?.process) ?? null;
  }
}

/** Those of the row's content, and of the content that it was prepared with. */
const pathsFor = ({ cid, draftCid }: ErasableRow, gone: ReadonlyMap<string, readonly Path[]>): readonly Path[] => [
  ...(gone.get(cid ?? '') ?? []),
  ...(gone.get(draftCid ?? '') ?? []),
];

const valuesAt = ({ metadata }: ErasableRow, paths: readonly Path[]): Json[] =>
  paths.flatMap((path) => {
    const value = atPointer({ metadata }, pointerOf(path));
    return value === undefined || value === null ? [] : [value as Json];
  });

/** @param chosen values of persons, and all values of other classes */
function withoutKeys(keys: ContentKeys, chosen: readonly OpenedLeaf[]): ContentKeys {
  const places = new Set(chosen.filter((leaf) => leaf.class === 'personal').map(({ place }) => place));
  const classes = new Set(chosen.map((leaf) => leaf.class));
  const whole = WHOLE_CLASSES.flatMap((name) => (keys[name] === undefined ? [] : [[name, classes.has(name) ? null : keys[name]] as const]));
  return { ...Object.fromEntries(whole), ...(keys.personal && { personal: keys.personal.map((key, i) => (places.has(i) ? null : key)) }) };
}
