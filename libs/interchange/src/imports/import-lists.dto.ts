import { Readable } from 'node:stream';
import { pageView } from '#http';
import type { Actor } from '#kernel';
import { UnitOfWork } from '#persistence';
import { XLSX, csvOf, workbookStream } from '#spreadsheets';
import { Injectable, StreamableFile } from '@nestjs/common';
import { EPCIS_XML, type ImportRecord } from './import-run.js';
import {
  type ImportPageView,
  type ImportProblemPageView,
  type ImportRowsQuery,
  type ImportedEventPageView,
  type ImportsQuery,
  importView,
  importedView,
  problemsView,
} from './imports.dto.js';
import { ImportQueries } from './imports.queries.js';
import { MarkImport } from './mark-import.js';
import { readerOf } from './read-import.js';

/** The lists of an import, and its file. */
@Injectable()
export class ImportLists {
  constructor(
    private readonly work: UnitOfWork,
    private readonly imports: ImportQueries,
    private readonly markImport: MarkImport,
  ) {}

  async all(actor: Actor, request: ImportsQuery): Promise<ImportPageView> {
    return pageView(await this.work.read(actor, (tx) => this.imports.list(tx, readerOf(actor), request)), importView);
  }

  async problems(actor: Actor, { id }: ImportRecord, request: ImportRowsQuery): Promise<ImportProblemPageView> {
    return pageView(await this.work.read(actor, (tx) => this.imports.rows(tx, id, 'problems', request)), problemsView);
  }

  async events(actor: Actor, { id }: ImportRecord, request: ImportRowsQuery): Promise<ImportedEventPageView> {
    return pageView(await this.work.read(actor, (tx) => this.imports.rows(tx, id, 'events', request)), importedView);
  }

  async marked(actor: Actor, record: ImportRecord): Promise<StreamableFile> {
    const name = record.name.replace(/\.[^.]*$/, '').replaceAll(/[^\w.-]/g, '_');
    if (record.format === EPCIS_XML)
      return new StreamableFile(Readable.from(this.markImport.markedXml(actor, record)), {
        type: 'application/xml',
        disposition: `attachment; filename="${name}-checked.xml"`,
      });
    const { columns, lines, separator } = await this.markImport.marked(actor, record);
    const isBook = record.format === 'xlsx';
    const bytes = isBook
      ? Readable.from(workbookStream({ name: 'Rows', columns }, lines))
      : csvOf(columns, (line) => [line], lines, separator);
    return new StreamableFile(bytes, {
      type: isBook ? XLSX : 'text/csv; charset=utf-8',
      disposition: `attachment; filename="${name}-checked.${isBook ? 'xlsx' : 'csv'}"`,
    });
  }
}
