import { Injectable } from '@nestjs/common';
import { leavesOf, type OpenedLeaf, pointerOf, type SealedClass } from '#envelope';
import type { Actor, Json } from '#kernel';
import { BlankCopies, type FoundCopies, UnitOfWork } from '#persistence';
import { type ErasableEvent, EraseContents } from './erase-contents.js';
import { FindNotes } from './find-notes.js';
import { neededPointers, ofSamePerson } from './erasure.rules.js';
import { PrivacyQueries } from './privacy.queries.js';
import { namedBy, subjectPattern, type SubjectPattern } from './subject.rules.js';

/** A value of an event that is about the person. */
export interface SubjectValue {
  readonly pointer: string;
  readonly class: SealedClass | 'public';
  readonly value: Json;
  /** It says the name, number or address itself; the others are in the same object. */
  readonly names: boolean;
  /** Whether an erasure of the person takes it. */
  readonly erasable: boolean;
}

export interface SubjectEvent {
  readonly eventId: string;
  readonly processType: string | null;
  readonly eventTime: Date | null;
  readonly status: string;
  readonly values: readonly SubjectValue[];
  /** Pointers to other values of persons in the event: whether they are of this one, the reader knows. */
  readonly others: readonly string[];
  /** How often disclosures with values of persons were given away. */
  readonly disclosed: number;
}

export interface HeldOfSubject {
  readonly events: readonly SubjectEvent[];
  /** Further events were not read: there are too many for one answer. */
  readonly complete: boolean;
  /** Other rows of the tenant that say it. */
  readonly copies: readonly FoundCopies[];
}

/** Events in one answer. */
const MOST = 1_000;
const AT_ONCE = 100;

/** What is held of a person, by a name, a number or an address of theirs. */
@Injectable()
export class FindSubject {
  constructor(
    private readonly work: UnitOfWork,
    private readonly events: PrivacyQueries,
    private readonly contents: EraseContents,
    private readonly copies: BlankCopies,
    private readonly notes: FindNotes,
  ) {}

  async find(actor: Actor, subject: string): Promise<HeldOfSubject> {
    const pattern = subjectPattern(subject);
    return this.work.inSnapshot(actor, async (tx) => {
      const found: SubjectEvent[] = [];
      let after: string | null = null;
      let ids: string[] = [];
      do {
        ids = await this.events.saying(tx, pattern.pattern, after, AT_ONCE);
        after = ids.at(-1) ?? null;
        const opened = await this.contents.open(tx, ids, false);
        const disclosed = await this.events.disclosed(
          tx,
          opened.flatMap(({ row }) => row.cid ?? []),
        );
        for (const event of opened) {
          const held = heldIn(event, pattern);
          if (held.values.length > 0) found.push({ ...held, disclosed: disclosed.get(event.row.cid ?? '') ?? 0 });
        }
      } while (ids.length === AT_ONCE && found.length < MOST);
      const copies = [...(await this.copies.count(tx, [subject])), ...(await this.notes.count(tx, subject))];
      return { events: found, complete: ids.length < AT_ONCE, copies };
    });
  }
}

function heldIn({ row, block, process }: ErasableEvent, pattern: SubjectPattern): Omit<SubjectEvent, 'disclosed'> {
  const head = { eventId: row.id, processType: row.processType, eventTime: row.eventTime, status: row.status };
  if (block === null) return { ...head, values: plain(row.metadata, pattern), others: [] };
  const named = namedBy(block.leaves, pattern);
  const person = ofSamePerson(block.leaves, named);
  const needed = neededPointers(process);
  const isErasable = (leaf: OpenedLeaf): boolean => leaf.class === 'personal' && !needed.includes(pointerOf(leaf.path));
  const values = [...new Set([...named, ...person])].map((leaf) => ({
    ...{ pointer: pointerOf(leaf.path), class: leaf.class, value: leaf.value, names: named.includes(leaf), erasable: isErasable(leaf) },
  }));
  const others = block.leaves.filter((leaf) => leaf.class === 'personal' && !person.includes(leaf)).map(({ path }) => pointerOf(path));
  return { ...head, values: [...values, ...plain(block.envelope.public, pattern, '')], others: values.length === 0 ? [] : others };
}

/** Values in the clear: public ones, and all of a content of version 1. */
function plain(content: unknown, { finds }: SubjectPattern, base = '/metadata'): SubjectValue[] {
  return leavesOf((content ?? {}) as Json).flatMap(({ path, value }) =>
    (typeof value === 'string' || typeof value === 'number') && finds(String(value))
      ? [{ pointer: `${base}${pointerOf(path)}`, class: 'public' as const, value, names: true, erasable: false }]
      : [],
  );
}
