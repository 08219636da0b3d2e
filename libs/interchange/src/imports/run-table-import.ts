import { type Actor, DomainError, derivedId } from '#kernel';
import { UnitOfWork } from '#persistence';
import type { JobContext } from '#queue';
import type { OpenedTable, SheetRow } from '#spreadsheets';
import { EventPreparation, type EventSubmission } from '#traceability';
import { type PreparedEvent, preparedEventView } from '#prepare';
import { Injectable } from '@nestjs/common';
import type { RowEvent } from './event-of-row.js';
import {
  type RowRules,
  type RowsOnTheWay,
  groupsOf,
  lotProblem,
  onTheWay,
  problemsOf,
  rowCount,
  rowKey,
  isProblems,
  unfitting,
  withProblems,
} from './import-row.rules.js';
import { boundColumns, boundGroup } from './import-mapping.js';
import { type ImportRecord, NO_ROWS, added, doneState } from './import-run.js';
import { ImportQueries, type ImportRow } from './imports.queries.js';
import { EVENT_KEY, proposeColumns } from './mapping-proposal.js';
import { fieldsOf } from './process-fields.js';
import { type ImportJob, type ImportRun, ImportProgress, firstOutage } from './track-import.js';
import { type DataRows, ReadImport, dataRows } from './read-import.js';

/** Events that are examined and saved together. */
const BATCH = 500;
/** Rows by which a proposal is made. */
const SAMPLE = 200;

type ResolvedRows = RowsOnTheWay & { readonly tokenIds: readonly bigint[] };

interface Run extends RowRules, ImportRun {
  readonly from: string | null;
}

/** The task of an import of a table: a mapping is proposed, or its rows are checked or prepared. */
@Injectable()
export class RunTableImport {
  constructor(
    private readonly work: UnitOfWork,
    private readonly imports: ImportQueries,
    private readonly reading: ReadImport,
    private readonly preparation: EventPreparation,
    private readonly progress: ImportProgress,
  ) {}

  run(job: ImportJob, record: ImportRecord, context: JobContext): Promise<void> {
    return record.task === 'propose' ? this.propose(job.actor, record) : this.readRows(job, record, context);
  }

  private async propose(actor: Actor, record: ImportRecord): Promise<void> {
    const table = await this.reading.open(actor, record);
    const { headers, headerRow, rows } = await dataRows(table);
    const sample: SheetRow[] = [];
    for await (const some of rows) {
      sample.push(...some);
      if (sample.length >= SAMPLE) break;
    }
    const shape = await this.reading.shape(actor, record);
    const columns = shape
      ? proposeColumns(
          headers,
          sample.slice(0, SAMPLE).map(({ cells }) => cells),
          fieldsOf(shape),
        )
      : [];
    const proposal = {
      headerRow,
      headers: headers.map(({ letter, header }) => ({ letter, header: header.slice(0, 200) })),
      ...{ sheets: table.sheets, separator: table.separator, columns },
      ...(headers.some(({ header }) => header === EVENT_KEY) && { groupBy: { column: EVENT_KEY } }),
    };
    await this.progress.end(actor, record, 'proposed', { format: table.format, proposal, remarks: table.remarks });
  }

  private async readRows({ actor, from }: ImportJob, record: ImportRecord, context: JobContext): Promise<void> {
    const mapping = record.mapping!;
    const table = await this.reading.open(actor, record);
    // Merged cells follow the rows of a worksheet, and nothing is prepared of a file that cannot be read to its end.
    const total = await countRows(table);
    const data = await dataRows(table, mapping.headerRow);
    const columns = boundColumns(mapping, data.headers);
    const group = boundGroup(mapping, data.headers);
    const unfit = [columns, group].find((found) => found !== null && isProblems(found as typeof columns)) as
      | Parameters<typeof unfitting>[0]
      | undefined;
    if (unfit) return this.progress.end(actor, record, 'failed', { format: table.format, failure: unfitting(unfit) });
    const counts = { ...NO_ROWS, total: Math.max(0, total.after(data.headerRow)) };
    const rules = {
      mapping,
      columns,
      group,
      merged: table.merged(),
      seen: new Map<string, number>(),
      keys: new Map<string, number>(),
    } as RowRules;
    const run: Run = { actor, record, from, context, counts, ...rules };
    await this.work.inTransaction(actor, (tx) => this.imports.deleteRows(tx, record.id, true));
    await this.inBatches(run, data);
    await this.progress.end(actor, record, doneState(record.task), { format: table.format, counts: run.counts, remarks: table.remarks });
  }

  private async inBatches(run: Run, { rows }: DataRows): Promise<void> {
    const reservations = new Set<string>();
    for await (const some of groupsOf(rows, run.group))
      for (let from = 0; from < some.length; from += BATCH) {
        await this.progress.goOn(run);
        const batch = await this.withLots(
          run,
          some.slice(from, from + BATCH).map((group) => onTheWay(group, run)),
        );
        const done = await (run.record.task === 'check' ? this.check(run, batch, reservations) : this.prepare(run, batch));
        await this.progress.save(run, done);
      }
    await this.progress.goOn(run);
  }

  /** Codes of inputs become token ids. */
  private async withLots({ actor }: Run, batch: readonly RowsOnTheWay[]): Promise<readonly ResolvedRows[]> {
    const codes = [...new Set(batch.flatMap(({ event }) => event?.lots.map(({ code }) => code) ?? []))];
    const known =
      codes.length === 0 ? new Map<string, readonly bigint[]>() : await this.work.read(actor, (tx) => this.imports.lotsByCode(tx, codes));
    return batch.map((one) => {
      const found = (one.event?.lots ?? []).map(({ code, column }) => ({ code, column, ids: known.get(code) ?? [] }));
      const problems = found.filter(({ ids }) => ids.length !== 1).map(({ code, column, ids }) => lotProblem(code, ids.length, column));
      return { ...one, problems: [...one.problems, ...problems], tokenIds: found.flatMap(({ ids }) => ids.slice(0, 1)) };
    });
  }

  private async check(run: Run, batch: readonly ResolvedRows[], reservations: Set<string>): Promise<readonly ImportRow[]> {
    const good = batch.filter(({ problems }) => problems.length === 0);
    const submissions = good.map((one) => submissionOf(run, one));
    const statuses = await this.earlier(
      run.actor,
      submissions.map(({ key }) => key),
    );
    const open = good.filter((_, i) => statuses[i]!.before === null);
    const verdicts = await this.preparation.examineAll(
      run.actor,
      open.map((one) => submissionOf(run, one).submission),
      reservations,
    );
    const outage = firstOutage(verdicts);
    if (outage) throw outage;
    const found = new Map(open.map((one, i) => [one, problemsOf(verdicts[i]!, one, run.columns)]));
    const bad = batch.flatMap((one): readonly ImportRow[] =>
      withProblems(one.rows, one.problems.length > 0 ? one.problems : (found.get(one) ?? [])),
    );
    const [done, repeated] = [rowCount(batch), rowCount(good) - rowCount(open)];
    run.counts = added(run.counts, { done, invalid: bad.length, valid: done - bad.length - repeated, repeated });
    return bad;
  }

  private async prepare(run: Run, batch: readonly ResolvedRows[]): Promise<readonly ImportRow[]> {
    const good = batch.filter(({ problems }) => problems.length === 0);
    const submissions = good.map((one) => submissionOf(run, one));
    const statuses = await this.earlier(
      run.actor,
      submissions.map(({ key }) => key),
    );
    const open = good.flatMap((one, i) =>
      statuses[i]!.before === null ? [{ one, submission: { ...submissions[i]!.submission, eventId: statuses[i]!.next } }] : [],
    );
    const answers: (PreparedEvent | DomainError)[] = [];
    for await (const some of this.preparation.prepareMany(
      run.actor,
      open.map(({ submission }) => submission),
    ))
      answers.push(...some);
    const rows = preparedRows(run, batch, { good, statuses, open, answers });
    const outage = firstOutage(answers);
    if (outage) {
      // What was prepared is kept: the next run does not prepare it again.
      await this.progress.save(
        run,
        rows.filter(({ eventId }) => eventId !== null),
      );
      throw outage;
    }
    const invalid = rows.filter(({ problems }) => problems.length > 0).length;
    const prepared = rowCount(open.flatMap(({ one }, i) => (answers[i] instanceof DomainError ? [] : [one])));
    const [done, repeated] = [rowCount(batch), rowCount(good) - rowCount(open.map(({ one }) => one))];
    run.counts = added(run.counts, { done, invalid, valid: done - invalid - repeated, prepared, repeated });
    return rows;
  }

  /** The event of each row that was prepared before, and the id of the next one: those that failed or expired do not count. */
  private async earlier(
    actor: Actor,
    keys: readonly string[],
  ): Promise<readonly { readonly before: string | null; readonly next: string }[]> {
    const found = keys.map(() => ({ before: null as string | null, next: '' }));
    let open = keys.map((_, i) => i);
    for (let attempt = 0; open.length > 0; attempt++) {
      const ids = open.map((i) => derivedId('event', 'import', actor.tenantId, keys[i]!, attempt));
      const statuses = await this.work.read(actor, (tx) => this.imports.statuses(tx, ids));
      open = open.filter((i, k) => {
        const status = statuses.get(ids[k]!);
        if (status === 'failed' || status === 'expired') return true;
        found[i] = status === undefined ? { before: null, next: ids[k]! } : { before: ids[k]!, next: '' };
        return false;
      });
    }
    return found;
  }
}

async function countRows(table: OpenedTable): Promise<{ readonly after: (row: number) => number }> {
  const rows: number[] = [];
  for await (const some of table.rows()) for (const { row } of some) rows.push(row);
  return { after: (header) => rows.filter((row) => row > header).length };
}

function submissionOf(
  { record, from }: Run,
  { event, tokenIds }: { readonly event: RowEvent | null; readonly tokenIds: readonly bigint[] },
): { readonly key: string; readonly submission: EventSubmission } {
  const { outputTlc, outputCustodian, metadata } = event!;
  const { processType } = record.mapping!;
  return {
    key: rowKey(processType, event!),
    submission: { processType, inputTokenIds: tokenIds, outputTlc, outputCustodian, metadata, from },
  };
}

interface BatchOutcome {
  readonly good: readonly ResolvedRows[];
  readonly statuses: readonly { readonly before: string | null }[];
  readonly open: readonly { readonly one: ResolvedRows }[];
  readonly answers: readonly (PreparedEvent | DomainError)[];
}

/** Those with problems, those whose event is older, and what became of the others. */
function preparedRows(
  { columns }: Run,
  batch: readonly ResolvedRows[],
  { good, statuses, open, answers }: BatchOutcome,
): readonly ImportRow[] {
  const wrong = batch.filter(({ problems }) => problems.length > 0);
  const older = good.flatMap(({ rows }, i) => (statuses[i]!.before === null ? [] : [{ row: rows[0]!, eventId: statuses[i]!.before }]));
  return [
    ...wrong.flatMap(({ rows, problems }) => withProblems(rows, problems)),
    ...older.map((one) => ({ ...one, prepared: null, problems: [] })),
    ...open.flatMap(({ one }, i): readonly ImportRow[] => {
      const answer = answers[i]!;
      if (answer instanceof DomainError) return withProblems(one.rows, problemsOf(answer, one, columns));
      return [{ row: one.rows[0]!, eventId: answer.eventId, prepared: preparedEventView(answer), problems: [] }];
    }),
  ];
}
