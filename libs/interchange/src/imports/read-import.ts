import { StoredFiles } from '#documents';
import { type Actor, isUuid } from '#kernel';
import { UnitOfWork } from '#persistence';
import { type OpenedTable, type SheetRow, lettersOf, openTable } from '#spreadsheets';
import { type ProcessShape, Processes, readsAll } from '#traceability';
import { Injectable } from '@nestjs/common';
import { importNotFound } from '../errors.js';
import type { HeaderCell, ImportMapping } from './import-mapping.js';
import { type ImportRecord, MAX_IMPORT_ROWS } from './import-run.js';
import { ImportQueries, type ImportReader } from './imports.queries.js';
import { type ProcessField, fieldsOf } from './process-fields.js';

export const readerOf = (actor: Actor): ImportReader => ({ all: readsAll(actor, null), orgId: actor.orgId, id: actor.id });

/** The header, and the rows behind it. */
export interface DataRows {
  readonly headers: readonly HeaderCell[];
  readonly headerRow: number;
  readonly rows: AsyncGenerator<readonly SheetRow[]>;
}

@Injectable()
export class ReadImport {
  constructor(
    private readonly work: UnitOfWork,
    private readonly imports: ImportQueries,
    private readonly files: StoredFiles,
    private readonly processes: Processes,
  ) {}

  /** @throws DomainError 404 `import_not_found` */
  async one(actor: Actor, id: string): Promise<ImportRecord> {
    const found = isUuid(id) ? await this.work.read(actor, (tx) => this.imports.byId(tx, readerOf(actor), id)) : null;
    if (!found) throw importNotFound(id);
    return found;
  }

  /** Null where nobody has chosen a process, or it is not there any more. */
  shape(actor: Actor, { processType }: ImportRecord): Promise<ProcessShape | null> {
    return processType === null ? Promise.resolve(null) : this.work.read(actor, (tx) => this.processes.shapeOf(tx, processType));
  }

  /** Values of the events of each process. */
  fields(actor: Actor): Promise<ReadonlyMap<string, readonly ProcessField[]>> {
    return this.work.inSnapshot(actor, async (tx) => {
      const found = new Map<string, readonly ProcessField[]>();
      for (const { processType } of await this.processes.catalogue(tx)) {
        const shape = await this.processes.shapeOf(tx, processType);
        if (shape) found.set(processType, fieldsOf(shape));
      }
      return found;
    });
  }

  /** @throws UnreadableFile */
  async open(actor: Actor, record: ImportRecord): Promise<OpenedTable> {
    return openImported(await this.bytes(actor, record), record.mapping);
  }

  async bytes(actor: Actor, { fileId }: ImportRecord): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of await this.files.read(actor, fileId)) parts.push(part);
    return Buffer.concat(parts);
  }
}

export function openImported(bytes: Buffer, mapping: Pick<ImportMapping, 'sheet' | 'separator'> | null): Promise<OpenedTable> {
  // One more for the header.
  return openTable(bytes, { sheet: mapping?.sheet, separator: mapping?.separator, maxRows: MAX_IMPORT_ROWS + 1 });
}

/** @param headerRow the first row that is not empty by default */
export async function dataRows(table: OpenedTable, headerRow?: number): Promise<DataRows> {
  const pages = table.rows()[Symbol.asyncIterator]();
  for (let next = await pages.next(); !next.done; next = await pages.next()) {
    const at = next.value.findIndex(({ row }) => headerRow === undefined || row >= headerRow);
    if (at < 0) continue;
    const header = next.value[at]!;
    const first = next.value.slice(at + 1);
    return { headers: headersOf(header), headerRow: header.row, rows: following(first, pages) };
  }
  return { headers: [], headerRow: 0, rows: following([], pages) };
}

async function* following(first: readonly SheetRow[], pages: AsyncIterator<readonly SheetRow[]>): AsyncGenerator<readonly SheetRow[]> {
  if (first.length > 0) yield first;
  yield* { [Symbol.asyncIterator]: () => pages };
}

const headersOf = ({ cells }: SheetRow): HeaderCell[] =>
  cells.flatMap((cell, column): HeaderCell[] => (cell ? [{ column, letter: lettersOf(column), header: cell.text }] : []));
