import type { Actor } from '#kernel';
import { UnitOfWork } from '#persistence';
import type { EventFilter } from '#traceability';
import { Injectable } from '@nestjs/common';
import type { Naming } from '../domain/recorded.js';
import { type JournalEntry, type JournalPlace, JournalSource } from '../ports.js';

export interface JournalRequest {
  readonly actor: Actor;
  readonly filter: EventFilter;
  readonly naming: Naming;
}

/** The sources in the order in which they come at one time; custody and recalls are no events of a process. */
export abstract class Journal {
  abstract readonly events: JournalSource;
  abstract readonly custody: readonly JournalSource[];
  abstract readonly recalls: readonly JournalSource[];
}

/** What happened to lots, from all sources, newest first. Each page is a transaction of its own: a slow reader holds none open. */
@Injectable()
export class ReadJournal {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly journal: Journal,
  ) {}

  async page(asked: JournalRequest, after: JournalPlace | null, limit: number): Promise<readonly JournalEntry[]> {
    return this.unitOfWork.inSnapshot(asked.actor, async (tx) => {
      const found: JournalEntry[] = [];
      for (const [source, one] of this.sources(asked.filter).entries()) {
        if (!one) continue;
        const entries = await one.page(tx, asked, after && behind(after, source), limit);
        found.push(...entries.map((entry) => ({ ...entry, source })));
      }
      return found.toSorted(inOrder).slice(0, limit);
    });
  }

  /** What a filter is not about has no entries; a place keeps its number. */
  private sources({ id, processType, kind, orgId, status }: EventFilter): readonly (JournalSource | null)[] {
    const ofProcesses =
      id !== undefined || processType !== undefined || orgId !== undefined || !['landed', 'all', 'recorded'].includes(status);
    const { events, custody, recalls } = this.journal;
    const moves = ofProcesses || (kind !== undefined && kind !== 'transfer') ? custody.map(() => null) : custody;
    return [events, ...moves, ...(ofProcesses || kind !== undefined ? recalls.map(() => null) : recalls)];
  }
}

const FIRST = '';
const LAST = '\u{10ffff}';

/** The same place as one source sees it. */
const behind = ({ at, source: passed, key }: JournalPlace, source: number): { at: Date | null; key: string } => ({
  at,
  key: source === passed ? key : source < passed ? LAST : FIRST,
});

function inOrder(a: JournalPlace, b: JournalPlace): number {
  const [left, right] = [a.at?.getTime() ?? -Infinity, b.at?.getTime() ?? -Infinity];
  if (left !== right) return left > right ? -1 : 1;
  return a.source - b.source || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
}
