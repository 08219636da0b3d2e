import { StoredFiles } from '#documents';
import { type Actor, Clock, type DomainError, hasRole, newId, roleRequired, senderOf } from '#kernel';
import { UnitOfWork } from '#persistence';
import { JobQueue, enqueueJob, queuedJobTopic } from '#queue';
import { Injectable } from '@nestjs/common';
import { importNotChecked, importNotUnderway, importUnderway, importWithoutMapping } from '../errors.js';
import type { ImportMapping } from './import-mapping.js';
import { EPCIS_XML, type ImportRecord, type ImportTask, NO_ROWS, isUnderway, isXml } from './import-run.js';
import { ImportQueries } from './imports.queries.js';
import type { ImportJob } from './track-import.js';

export const runImportTopic = queuedJobTopic<ImportJob>('interchange.run-import', { attempts: 3 });

interface ImportFile {
  readonly name: string;
  readonly bytes: Buffer;
  readonly sha256: string;
}

/** Begins, continues and ends imports. The work itself is a job. */
@Injectable()
export class StartImport {
  constructor(
    private readonly work: UnitOfWork,
    private readonly imports: ImportQueries,
    private readonly files: StoredFiles,
    private readonly queue: JobQueue,
    private readonly clock: Clock,
  ) {}

  /** Stores the file; with a mapping its rows are checked, as events of EPCIS always are; without one a mapping is proposed. @throws EngineUnavailable */
  async start(
    actor: Actor,
    { name, bytes, sha256 }: ImportFile,
    wants: { readonly processType: string | null; readonly mapping: ImportMapping | null },
  ): Promise<string> {
    const id = newId();
    const isEpcis = isXml(bytes);
    const task: ImportTask = isEpcis || wants.mapping?.columns.length ? 'check' : 'propose';
    const read = isEpcis
      ? { format: EPCIS_XML, mapping: null, processType: null, remarks: ['The file is EPCIS in XML: each event says its process itself.'] }
      : { format: null, ...wants, remarks: [] };
    await this.files.store(actor, { bytes, sha256, shared: false }, (tx, file) =>
      this.imports.insert(tx, {
        ...{ id, fileId: file.id, name, size: bytes.length, task, state: 'waiting', ...read, counts: NO_ROWS },
        ...{ orgId: actor.orgId, createdBy: actor.id, createdAt: this.clock.now() },
      }),
    );
    await this.enqueue(actor, id, actor.wallet);
    return id;
  }

  /** @param mapping null: that of before @throws DomainError 409 */
  async check(actor: Actor, record: ImportRecord, mapping: ImportMapping | null): Promise<void> {
    requireOwn(actor, record);
    const used = record.format === EPCIS_XML ? null : (mapping ?? record.mapping);
    if (record.format !== EPCIS_XML && !used?.columns.length) throw importWithoutMapping();
    await this.begin(actor, record, 'check', { counts: NO_ROWS, ...(used && { mapping: used, processType: used.processType }) });
    await this.enqueue(actor, record.id, actor.wallet);
  }

  /** @throws DomainError 409 while a row has a problem, or before all were checked */
  async prepare(
    actor: Actor,
    record: ImportRecord,
    { rows, from }: { readonly rows: 'all' | 'valid'; readonly from?: string | undefined },
  ): Promise<void> {
    requireOwn(actor, record);
    const sender = senderOf(actor, from);
    const refusal = notReady(record, rows);
    if (refusal) throw refusal;
    await this.begin(actor, record, 'prepare', { counts: NO_ROWS });
    await this.enqueue(actor, record.id, sender);
  }

  /** The task of before, from where it was: what was prepared is not prepared again. @throws DomainError 409 */
  async resume(actor: Actor, record: ImportRecord): Promise<void> {
    requireOwn(actor, record);
    if (isUnderway(record)) {
      // Its job may have been lost with the queue: a second one changes nothing.
      await this.enqueue(actor, record.id, actor.wallet);
      return;
    }
    await this.begin(actor, record, record.task, { counts: NO_ROWS });
    await this.enqueue(actor, record.id, actor.wallet);
  }

  /** @throws DomainError 409 `import_not_underway` */
  async cancel(actor: Actor, record: ImportRecord): Promise<void> {
    requireOwn(actor, record);
    if (!(await this.work.inTransaction(actor, (tx) => this.imports.stop(tx, record.id)))) throw importNotUnderway();
  }

  /** With its file; its events stay. @throws DomainError 409 `import_underway`, 403 for one of others */
  async delete(actor: Actor, record: ImportRecord): Promise<void> {
    requireOwn(actor, record);
    const { id, fileId, state } = record;
    if (isUnderway({ state })) throw importUnderway();
    const deleteBytes = await this.work.inTransaction(actor, async (tx) => {
      await this.imports.delete(tx, id);
      return this.files.remove(tx, fileId, actor.id);
    });
    await deleteBytes();
  }

  private async begin(actor: Actor, { id }: ImportRecord, task: ImportTask, change: Parameters<ImportQueries['begin']>[3]): Promise<void> {
    if (!(await this.work.inTransaction(actor, (tx) => this.imports.begin(tx, id, task, change)))) throw importUnderway();
  }

  private async enqueue(actor: Actor, importId: string, from: string | null): Promise<void> {
    const { tenantId } = actor;
    // A tenant's second import comes behind the first one of every other tenant.
    const underway = await this.work.read(actor, (tx) => this.imports.countUnderway(tx));
    await enqueueJob(this.queue, runImportTopic, { tenantId, importId, actor, from }, `${tenantId}/${importId}`, Math.max(1, underway));
  }
}

/** Who reads all, as an AUDITOR does, changes only the imports of the own organisation. @throws DomainError 403 `role_required` */
function requireOwn(actor: Actor, { createdBy, orgId }: ImportRecord): void {
  const isOwn = createdBy === actor.id || (orgId !== null && orgId === actor.orgId);
  if (!isOwn && !hasRole(actor, 'COMPLIANCE', 'TENANT_ADMIN')) throw roleRequired(['COMPLIANCE', 'TENANT_ADMIN']);
}

function notReady({ state, task, counts, mapping, format }: ImportRecord, rows: 'all' | 'valid'): DomainError | null {
  if (isUnderway({ state })) return importUnderway();
  if (!mapping && format !== EPCIS_XML) return importWithoutMapping();
  const wasChecked = state === 'checked' || task === 'prepare';
  if (!wasChecked) return importNotChecked('the last one did not end.');
  return rows === 'all' && state === 'checked' && counts.invalid > 0 ? importNotChecked(`${counts.invalid} rows have problems.`) : null;
}
