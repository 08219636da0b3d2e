import { DomainError, ProblemBudget, invalidContent, mapYielding } from '#kernel';
import type { JobContext } from '#queue';
import { type PreparedEvent, preparedEventView } from '#prepare';
import { UnreadableFile } from '#spreadsheets';
import { Injectable } from '@nestjs/common';
import { CaptureDocument } from '../capture/capture-document.js';
import type { WholeDocument } from '../capture/map-events.js';
import { type DocumentEvent, DocumentReader } from '../capture/document-event.js';
import { ExamineDocument, makersIn } from '../capture/examine-document.js';
import { eventsOfBody } from '../conformance/bodies.js';
import { readEpcisXml } from '../xml/read-epcis-xml.js';
import type { RowProblem } from './event-of-row.js';
import { EPCIS_XML, type ImportRecord, MAX_IMPORT_ROWS, NO_ROWS, added, doneState } from './import-run.js';
import type { ImportRow } from './imports.queries.js';
import type { ProcessField } from './process-fields.js';
import { ReadImport } from './read-import.js';
import { type ImportJob, ImportProgress, type ImportRun, firstOutage } from './track-import.js';
import { typedMetadata } from './typed-metadata.js';

/** Events that are examined and saved together. */
const BATCH = 500;
const MOST_PROBLEMS = 20;

type Outcome = DomainError | { readonly eventId: string; readonly prepared: object } | null;

interface EpcisRun extends ImportRun {
  readonly from: string | null;
  readonly document: WholeDocument;
  readonly reservations: Set<string>;
}

/** The task of an import of EPCIS in XML. Its rows are its events, from 1; an event that capture knows is not prepared again. */
@Injectable()
export class RunEpcisImport {
  constructor(
    private readonly reading: ReadImport,
    private readonly examination: ExamineDocument,
    private readonly captureDocument: CaptureDocument,
    private readonly progress: ImportProgress,
  ) {}

  async run({ actor, from }: ImportJob, record: ImportRecord, context: JobContext): Promise<void> {
    const events = await eventsIn(await this.reading.bytes(actor, record));
    const document = { makers: await makersIn(events, actor.tenantSlug), typed: typedBy(await this.reading.fields(actor)) };
    const counts = { ...NO_ROWS, total: events.length };
    const run: EpcisRun = { actor, record, from, context, counts, document, reservations: new Set() };
    await this.progress.forgetRows(actor, record);
    for (let at = 0; at < events.length; at += BATCH) {
      await this.progress.goOn(run);
      await this.batch(run, events.slice(at, at + BATCH));
    }
    await this.progress.goOn(run);
    await this.progress.end(actor, record, doneState(record.task), { format: EPCIS_XML, counts: run.counts });
  }

  private async batch(run: EpcisRun, events: readonly DocumentEvent[]): Promise<void> {
    const isCheck = run.record.task === 'check';
    const outcomes = await (isCheck ? this.check(run, events) : this.prepare(run, events));
    const outage = firstOutage(outcomes);
    const rows = events.flatMap((event, i) => rowOf(event, outcomes[i]!));
    // A run that begins again prepares nothing twice: what was prepared is kept.
    await this.progress.save(run, outage ? rows.filter(({ eventId }) => eventId !== null) : rows);
    if (outage) throw outage;
    const invalid = rows.filter(({ problems }) => problems.length > 0).length;
    const repeated = outcomes.filter((one) => earlierOf(one) !== null).length;
    const prepared = outcomes.filter((one) => one !== null && 'prepared' in one).length;
    run.counts = added(run.counts, { done: events.length, invalid, repeated, prepared, valid: events.length - invalid - repeated });
  }

  private check({ actor, ...how }: EpcisRun, events: readonly DocumentEvent[]): Promise<readonly Outcome[]> {
    return this.examination.examine(actor, events, how);
  }

  private async prepare({ actor, from, document }: EpcisRun, events: readonly DocumentEvent[]): Promise<readonly Outcome[]> {
    const results = await this.captureDocument.captureEvents(actor, events, { from, document });
    return results.map(({ outcome }): Outcome => {
      if (outcome instanceof DomainError) return outcome;
      return { eventId: outcome.eventId, prepared: preparedEventView(outcome as PreparedEvent) };
    });
  }
}

const typedBy =
  (fields: ReadonlyMap<string, readonly ProcessField[]>): NonNullable<WholeDocument['typed']> =>
  (processType, metadata) =>
    typedMetadata(metadata, fields.get(processType) ?? []);

/** @throws DomainError 400 for what is no XML, 422 for what is no EPCIS @throws UnreadableFile */
async function eventsIn(bytes: Buffer): Promise<readonly DocumentEvent[]> {
  const { events, contexts, pointer, faults } = eventsOfBody(await readEpcisXml(bytes));
  if (faults.length > 0) throw invalidContent(faults);
  if (events.length === 0) throw new UnreadableFile('file_empty', 'The document has no events.');
  if (events.length > MAX_IMPORT_ROWS)
    throw new UnreadableFile('too_many_rows', `The document has more than ${MAX_IMPORT_ROWS} events: send it in parts.`);
  const reader = new DocumentReader(contexts, new ProblemBudget(), pointer);
  const all = await mapYielding(events, (event, i) => reader.read(event, i));
  return all.map((one) => (one.isDeclaration && !one.refusal ? { ...one, refusal: declarationIn(one) } : one));
}

/** The void of an event is a transaction of its own, with checks of what was made since. */
const declarationIn = ({ pointer }: DocumentEvent): DomainError =>
  invalidContent([
    {
      pointer: `${pointer}/errorDeclaration`,
      code: 'declaration_not_imported',
      message: 'An error declaration is not imported: send it to POST /api/v1/epcis/capture.',
    },
  ]);

/** The event as which it was captured before; undefined of one that another request captures now. */
function earlierOf(outcome: Outcome): string | null {
  const { eventId } = outcome instanceof DomainError && outcome.code === 'event_captured' ? outcome.details : {};
  return typeof eventId === 'string' ? eventId : null;
}

function rowOf({ index, pointer }: DocumentEvent, outcome: Outcome): ImportRow[] {
  const row = index + 1;
  if (outcome === null) return [];
  if (!(outcome instanceof DomainError)) return [{ row, ...outcome, problems: [] }];
  const earlier = earlierOf(outcome);
  if (earlier !== null) return [{ row, eventId: earlier, prepared: null, problems: [] }];
  const found = outcome.details.errors ?? [{ pointer, code: outcome.code, message: outcome.message }];
  const problems = found.slice(0, MOST_PROBLEMS).map(({ pointer: at, code, message }): RowProblem => {
    const within = at.startsWith(`${pointer}/`) ? at.slice(pointer.length + 1) : null;
    return { column: null, header: within, code, message: within === null ? message : `${within}: ${message}` };
  });
  return [{ row, eventId: null, prepared: null, problems }];
}
