import { Injectable } from '@nestjs/common';
import { type Actor, DomainError } from '#kernel';
import { UnitOfWork } from '#persistence';
import type { EventSubmission } from '../../contract/preparation.js';
import { type GeneratedCode, errorsOf } from '../../process-maps/event-reading.js';
import { GeneratedCodeQueries } from './generated-codes.queries.js';
import { reservationsOf } from './prepared-event.js';
import { type DatedExamination, ExamineEvent } from './validate-event.js';

export type Examined = DatedExamination | DomainError;

/** The code that an event without errors gets from the template of its process; null where it has none. */
export const generatedIn = (found: Examined): GeneratedCode | null =>
  found instanceof DomainError || errorsOf(found.issues).length > 0 || found.generated?.number === 0 ? null : found.generated;

/**
 * Examines events that will be prepared, and gives away the codes that the service makes for them. Two requests may find the same code free:
 * the database gives it to one of them, and the other is examined again with the next one.
 */
@Injectable()
export class ReserveCodes {
  constructor(
    private readonly work: UnitOfWork,
    private readonly examination: ExamineEvent,
    private readonly codes: GeneratedCodeQueries,
  ) {}

  /** @param reservations as in `ExamineEvent` */
  async examineAll(
    actor: Actor,
    submissions: readonly EventSubmission[],
    reservations: Set<string> = new Set<string>(),
  ): Promise<readonly Examined[]> {
    const all = [...(await this.examination.examineAll(actor, submissions, { reservations }))];
    for (let open = all.map((_, i) => i); open.length > 0;) {
      open = await this.beaten(
        actor,
        open.filter((i) => generatedIn(all[i]!) !== null),
        all,
      );
      for (const i of open) for (const own of reservationsOf((all[i] as DatedExamination).event!)) reservations.delete(own);
      const again = await this.examination.examineAll(
        actor,
        open.map((i) => submissions[i]!),
        { reservations },
      );
      for (const [k, i] of open.entries()) all[i] = again[k]!;
    }
    return all;
  }

  /** Those whose code somebody else got. */
  private async beaten(actor: Actor, indexes: readonly number[], all: readonly Examined[]): Promise<number[]> {
    if (indexes.length === 0) return [];
    const codes = indexes.map((i) => generatedIn(all[i]!)!);
    const got = await this.work.write(actor, (tx) => this.codes.take(tx, codes));
    return indexes.filter((i) => !got.has(generatedIn(all[i]!)!.key));
  }

  /** Their events are not prepared: others may have their codes. */
  async giveBack(actor: Actor, examined: readonly Examined[]): Promise<void> {
    const keys = examined.flatMap((found) => generatedIn(found)?.key ?? []);
    if (keys.length > 0) await this.work.write(actor, (tx) => this.codes.giveBack(tx, keys));
  }
}
