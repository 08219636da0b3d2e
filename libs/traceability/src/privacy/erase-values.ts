import { Injectable, Logger } from '@nestjs/common';
import { cidFromDataHash } from '#content-storage';
import { ENVELOPE_VERSION, type OpenedLeaf, pointerOf } from '#envelope';
import { AuditLog } from '#identity';
import { type Actor, Clock, invalidContent, isUuid, newId, reportOf } from '#kernel';
import { CopiesUnderWay, type FoundCopies, type TenantTx, UnitOfWork } from '#persistence';
import { type ErasedContent, type ErasureEntry, ErasureLog, ErasureSettings, lockErasures } from '#sealed-contents';
import { eventNotFound, neededForRecord, notErasable, notSeparable } from '../errors.js';
import { type ErasableEvent, EraseContents } from './erase-contents.js';
import {
  chooseLeaves,
  neededPointers,
  ofSamePerson,
  type RefusedPointer,
  refusedPointer,
  type Selection,
  withoutValue,
} from './erasure.rules.js';
import { FindNotes, keptNotices, type NamingNotes } from './find-notes.js';
import { pathsOf, PrivacyQueries } from './privacy.queries.js';
import { namedBy, publicNames, subjectPattern } from './subject.rules.js';

/** What an erasure did, and what nobody can reach. */
export interface ErasureReceipt {
  readonly id: string;
  readonly erasedAt: Date;
  readonly events: number;
  readonly values: number;
  /** Notes of calls, each erased as a whole. */
  readonly notes: number;
  /** Until then a backup of before has the values, which a restore erases again. */
  readonly backupsUntil: Date;
  readonly beyondReach: { readonly disclosures: number; readonly deliveries: number };
  /** Of a person: values that name them and stay, with the reason. */
  readonly left: readonly (RefusedPointer & { readonly eventId: string })[];
  /** Of a person: records that the law asks for and that may name them. */
  readonly kept: readonly { readonly table: string; readonly rows: number }[];
}

/** One transaction of an erasure. */
interface Part {
  readonly notes: number;
  readonly contents: readonly ErasedContent[];
  readonly left: ErasureReceipt['left'];
  readonly copies: readonly FoundCopies[];
  readonly disclosures: number;
}

const NO_NOTES: NamingNotes = { erasable: [], notices: 0 };
const NOTHING: Part = { notes: 0, contents: [], left: [], copies: [], disclosures: 0 };
/** Events of a person that are erased in one transaction. */
const AT_ONCE = 200;
const REFUSALS = { not_separable: notSeparable, not_erasable: notErasable, needed_for_record: neededForRecord } as const;

interface Erasure {
  readonly id: string;
  readonly at: Date;
  readonly by: Actor;
}

/** Lines of the erasure log, by its clock and its settings. */
@Injectable()
export class ErasureEntries {
  constructor(
    private readonly file: ErasureLog,
    private readonly settings: ErasureSettings,
    private readonly clock: Clock,
  ) {}

  begin(by: Actor): Erasure {
    return { id: newId(), at: this.clock.now(), by };
  }

  entry({ id, at, part }: Erasure & { readonly part: number }, by: Actor, contents: readonly ErasedContent[]): ErasureEntry {
    return { tenantId: by.tenantId, id, part, erasedAt: at.toISOString(), erasedBy: by.id, values: pathsOf(contents), contents };
  }

  keep(erasure: Erasure, parts: readonly (readonly ErasedContent[])[]): void {
    this.file.append(
      parts.flatMap((contents, part) => (contents.length === 0 ? [] : [this.entry({ ...erasure, part }, erasure.by, contents)])),
    );
  }

  backupsUntil({ at }: Erasure): Date {
    return new Date(at.getTime() + this.settings.backupsKeptMs);
  }
}

/** What the audit log says of an erasure, and what follows when it is committed. */
@Injectable()
export class ConcludeErasure {
  private readonly log = new Logger('Privacy');

  constructor(
    readonly entries: ErasureEntries,
    private readonly underWay: CopiesUnderWay,
    private readonly audit: AuditLog,
  ) {}

  async record(
    tx: TenantTx,
    actor: Actor,
    { id, part }: Erasure & { readonly part: number },
    { contents, notes }: Pick<Part, 'contents' | 'notes'>,
  ): Promise<void> {
    const details = { events: contents.filter(({ eventId }) => eventId !== null).length, values: pathsOf(contents), notes, part };
    await this.audit.record(tx, actor.tenantId, actor, { action: 'values.erased', subject: id, details });
  }

  /** The erasure log follows what was committed; a job writes what a crash left out. */
  async receipt(erasure: Erasure, parts: readonly Part[]): Promise<ErasureReceipt> {
    try {
      this.entries.keep(
        erasure,
        parts.map(({ contents }) => contents),
      );
    } catch (error) {
      this.log.error(`The erasure log could not be written; it is tried again every minute: ${reportOf(error)}`);
    }
    const copies = parts.flatMap((part) => part.copies);
    // Of what a receiver gets after the answer, nothing has the value.
    await this.underWay.ended(erasure.by, copies);
    const rowsOf = (table: string): number => copies.filter((copy) => copy.table === table).reduce((sum, { rows }) => sum + rows, 0);
    const contents = parts.flatMap((part) => part.contents);
    return {
      id: erasure.id,
      erasedAt: erasure.at,
      events: new Set(contents.flatMap(({ eventId }) => eventId ?? [])).size,
      values: pathsOf(contents),
      notes: parts.reduce((sum, { notes }) => sum + notes, 0),
      backupsUntil: this.entries.backupsUntil(erasure),
      beyondReach: { disclosures: parts.reduce((sum, part) => sum + part.disclosures, 0), deliveries: rowsOf('webhooks.message') },
      left: parts.flatMap((part) => part.left),
      kept: copies.filter(({ stay }) => stay).map(({ table, rows }) => ({ table, rows })),
    };
  }
}

/** `POST /privacy/erasures`: values of one event, or all that name a person. */
@Injectable()
export class EraseValues {
  /** Of this process: those that wait hold no connection, which the one that runs may need. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly work: UnitOfWork,
    private readonly events: PrivacyQueries,
    private readonly contents: EraseContents,
    private readonly notes: FindNotes,
    private readonly conclude: ConcludeErasure,
  ) {}

  /** @throws DomainError 404 `event_not_found`, 422 `not_separable`, `not_erasable`, `needed_for_record`, `invalid_content`: then nothing is erased */
  ofEvent(actor: Actor, eventId: string, selection: Selection): Promise<ErasureReceipt> {
    return this.afterOthers(() => this.eraseEvent(actor, eventId, selection));
  }

  /** Everything of a person that can be erased; what stays is in the receipt. */
  ofSubject(actor: Actor, subject: string): Promise<ErasureReceipt> {
    return this.afterOthers(() => this.eraseSubject(actor, subject));
  }

  private afterOthers(erase: () => Promise<() => Promise<ErasureReceipt>>): Promise<ErasureReceipt> {
    const erased = this.last.then(erase);
    this.last = erased.catch(() => undefined);
    return erased.then((receipt) => receipt());
  }

  private async eraseEvent(actor: Actor, eventId: string, selection: Selection): Promise<() => Promise<ErasureReceipt>> {
    const erasure = this.conclude.entries.begin(actor);
    const part = await this.work.inTransaction(actor, async (tx) => {
      await lockErasures(tx);
      const ids = isUuid(eventId) ? await this.events.withCorrections(tx, eventId) : [];
      const found = await this.contents.open(tx, ids, true);
      const named = found.find(({ row }) => row.id === eventId.toLowerCase());
      if (!named) throw eventNotFound(eventId);
      const contents = found.flatMap((event) => chosenIn(event, selection, event === named));
      return this.write(tx, actor, { ...erasure, part: 0 }, { contents, left: [], everywhere: null });
    });
    return () => this.conclude.receipt(erasure, [part]);
  }

  private async eraseSubject(actor: Actor, subject: string): Promise<() => Promise<ErasureReceipt>> {
    const erasure = this.conclude.entries.begin(actor);
    const pattern = subjectPattern(subject);
    const parts: Part[] = [];
    for (let after: string | null = null, more = true; more;) {
      const from: string | null = after;
      const part = parts.length;
      const done = await this.work.inTransaction(actor, async (tx) => {
        // First: an event that lands meanwhile is found, or waits.
        await lockErasures(tx);
        const ids = await this.events.saying(tx, pattern.pattern, from, AT_ONCE);
        const found = await this.contents.open(tx, ids, true);
        const chosen = found.map((event) => personIn(event, pattern));
        const erased = chosen.flatMap(({ contents }) => contents);
        const isLast = ids.length < AT_ONCE;
        const notes = isLast ? await this.notes.naming(tx, subject) : NO_NOTES;
        const written = await this.write(
          tx,
          actor,
          { ...erasure, part },
          {
            contents: [...erased, ...notes.erasable],
            left: chosen.flatMap(({ left }) => left),
            everywhere: isLast ? [subject] : [],
          },
        );
        return { ids, written: { ...written, copies: [...written.copies, ...keptNotices(notes)] } };
      });
      parts.push(done.written);
      after = done.ids.at(-1) ?? null;
      more = done.ids.length === AT_ONCE;
    }
    return () => this.conclude.receipt(erasure, parts);
  }

  private async write(
    tx: TenantTx,
    actor: Actor,
    erasure: Erasure & { readonly part: number },
    { contents, left, everywhere }: Pick<Part, 'contents' | 'left'> & { readonly everywhere: readonly string[] | null },
  ): Promise<Part> {
    if (contents.length === 0 && (everywhere ?? []).length === 0) return { ...NOTHING, left };
    const cids = contents.map(({ cid }) => cid);
    const disclosures = [...(await this.events.disclosed(tx, cids)).values()].reduce((sum, count) => sum + count, 0);
    const { copies, notes: named } = await this.contents.erase(tx, contents, erasure.at, everywhere);
    const repeated = [...new Set(copies.flatMap(({ notes: hashes }) => hashes))].map(noteOf).filter(({ cid }) => !cids.includes(cid));
    const notes = named + (repeated.length === 0 ? 0 : (await this.contents.erase(tx, repeated, erasure.at, null)).notes);
    const all = [...contents, ...repeated];
    const entry = this.conclude.entries.entry(erasure, actor, all);
    // Of copies alone, too: who has read them before must not write them (`erasuresSeen`).
    await this.contents.note(tx, entry);
    await this.conclude.record(tx, actor, erasure, { contents, notes });
    return { notes, contents: all, left, copies, disclosures };
  }
}

const noteOf = (dataHash: string): ErasedContent => ({ cid: cidFromDataHash(dataHash), eventId: null, paths: [] });

/** Of a correction the same pointers, as far as it has them. @throws DomainError 422 */
function chosenIn(event: ErasableEvent, selection: Selection, isNamed: boolean): ErasedContent[] {
  const { row, block, process, version } = event;
  const pointers = 'pointers' in selection ? selection.pointers : selection.classes.map((name) => `/${name}`);
  if (block === null || block.held === null) {
    if (!isNamed) return [];
    // Of version 1 all is in one plain text, and what was sealed elsewhere has its keys there.
    const code = version !== null && version < ENVELOPE_VERSION ? 'not_separable' : 'not_erasable';
    throw REFUSALS[code](pointers.map((pointer) => refusedPointer('pointers' in selection ? pointer : '', code)));
  }
  const shown = block.leaves.reduce((rest, { path }) => withoutValue(rest, path), block.envelope.public);
  const { leaves, refused } = chooseLeaves({ leaves: block.leaves, shown, erased: block.held.erased }, selection, neededPointers(process));
  const faults = isNamed ? refused : refused.filter(({ code }) => code === 'needed_for_record' || code === 'not_separable');
  for (const code of ['needed_for_record', 'not_separable', 'not_erasable'] as const) {
    const ofCode = faults.filter((fault) => fault.code === code);
    if (ofCode.length > 0) throw REFUSALS[code](ofCode);
  }
  if (faults.length > 0) throw invalidContent(faults);
  return leaves.length === 0 ? [] : [contentOf(row, leaves)];
}

const contentOf = ({ id, cid }: ErasableEvent['row'], leaves: readonly OpenedLeaf[]): ErasedContent => ({
  cid: cid!,
  eventId: id,
  paths: leaves.map(({ path }) => path),
});

/** The values of a person in an event, and what names them there and stays. */
function personIn({ row, block, process }: ErasableEvent, pattern: ReturnType<typeof subjectPattern>): Pick<Part, 'contents' | 'left'> {
  if (block === null || block.held === null) {
    const code = block === null ? 'not_separable' : 'not_erasable';
    return { contents: [], left: [{ ...refusedPointer('', code), eventId: row.id }] };
  }
  const named = namedBy(block.leaves, pattern);
  const needed = neededPointers(process);
  const person = ofSamePerson(block.leaves, named);
  const { leaves, refused } = chooseLeaves(
    { leaves: block.leaves, shown: {}, erased: [] },
    { pointers: [...new Set([...person, ...named].map(({ path }) => pointerOf(path)))] },
    needed,
  );
  const stuck = new Set(refused.map(({ pointer }) => pointer));
  const free = leaves.filter(({ path }) => !stuck.has(pointerOf(path)));
  return {
    contents: free.length === 0 ? [] : [{ ...contentOf(row, free), ofPerson: true }],
    left: [...refused, ...publicNames(block.envelope.public, pattern)].map((pointer) => ({ ...pointer, eventId: row.id })),
  };
}
