import { Quotas } from '#identity';
import { type Actor, type Role, hasRole, isUuid, newId, roleRequired } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Processes } from '#traceability';
import { Injectable } from '@nestjs/common';
import { importMappingNotFound, importProcessUnknown } from '../errors.js';
import type { ImportMapping } from './import-mapping.js';
import { type SavedMapping, MappingQueries } from './mappings.queries.js';

const MAY_DELETE: readonly Role[] = ['COMPLIANCE', 'TENANT_ADMIN'];

interface MappingRequest {
  readonly processType?: string | undefined;
  readonly sheet?: string | undefined;
  readonly mappingId?: string | undefined;
}

/** Mappings that a request names or sends. Their process must be there. */
@Injectable()
export class FindMapping {
  constructor(
    private readonly work: UnitOfWork,
    private readonly mappings: MappingQueries,
    private readonly processes: Processes,
    private readonly quotas: Quotas,
  ) {}

  /** @throws DomainError 404 `import_mapping_not_found` */
  async byId(actor: Actor, id: string): Promise<SavedMapping> {
    const found = isUuid(id) ? await this.work.read(actor, (tx) => this.mappings.byId(tx, id)) : null;
    if (!found) throw importMappingNotFound(id);
    return found;
  }

  /** What a file is read by at first: a kept mapping; or, with a worksheet alone, one without columns. */
  async wanted(
    actor: Actor,
    { processType = null, sheet, mappingId }: { readonly processType?: string | null } & Omit<MappingRequest, 'processType'>,
  ): Promise<{ readonly processType: string | null; readonly mapping: ImportMapping | null }> {
    if (mappingId !== undefined) {
      const { mapping } = await this.byId(actor, mappingId);
      return { processType: mapping.processType, mapping: { ...mapping, ...(sheet !== undefined && { sheet }) } };
    }
    if (processType !== null) await this.mustKnow(actor, processType);
    return { processType, mapping: sheet === undefined ? null : { processType: processType ?? '', sheet, columns: [] } };
  }

  /** @returns null where the mapping of before is meant */
  async toCheck(actor: Actor, sent: ImportMapping | null, mappingId: string | null): Promise<ImportMapping | null> {
    const mapping = mappingId === null ? sent : (await this.byId(actor, mappingId)).mapping;
    if (mapping) await this.mustKnow(actor, mapping.processType);
    return mapping;
  }

  /** Each version is kept, and costs storage of the quota. @throws DomainError 429 `quota_exceeded` */
  async keep(
    actor: Actor,
    said: { readonly name: string; readonly partner: string; readonly mapping: ImportMapping },
  ): Promise<SavedMapping> {
    await this.mustKnow(actor, said.mapping.processType);
    return this.work.inTransaction(actor, async (tx) => {
      await this.quotas.take(tx, { bytes: Buffer.byteLength(JSON.stringify(said)) });
      return this.mappings.insert(tx, { ...said, id: newId(), createdBy: actor.id });
    });
  }

  /** By who has kept it, or who administers; imports that were read by it keep their copy. @throws DomainError 404, 403 `role_required` */
  async delete(actor: Actor, id: string): Promise<void> {
    const { createdBy } = await this.byId(actor, id);
    if (createdBy !== actor.id && !hasRole(actor, ...MAY_DELETE)) throw roleRequired(MAY_DELETE);
    if (!(await this.work.inTransaction(actor, (tx) => this.mappings.delete(tx, id)))) throw importMappingNotFound(id);
  }

  private async mustKnow(actor: Actor, processType: string): Promise<void> {
    if (!(await this.work.inTransaction(actor, (tx) => this.processes.shapeOf(tx, processType)))) throw importProcessUnknown(processType);
  }
}
