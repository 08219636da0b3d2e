import {
  Access,
  ApiProblems,
  CONTENT_UNAVAILABLE,
  CreatedAt,
  CurrentActor,
  Heavy,
  INVALID_CONTENT,
  QUEUE_UNAVAILABLE,
  ReadsBody,
} from '#http';
import { quotaExceeded } from '#identity';
import { type Actor, ROLES, foreignSender, roleRequired } from '#kernel';
import { XLSX } from '#spreadsheets';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, StreamableFile } from '@nestjs/common';
import { ApiConsumes, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  importMappingNotFound,
  importNotChecked,
  importNotFound,
  importNotUnderway,
  importProcessUnknown,
  importUnderway,
  importWithoutMapping,
} from '../errors.js';
import type { ImportMapping } from './import-mapping.js';
import { type ImportRecord, MAX_IMPORT_BYTES } from './import-run.js';
import {
  CheckImportBody,
  ImportBody,
  ImportPageView,
  ImportProblemPageView,
  ImportRowsQuery,
  ImportView,
  ImportedEventPageView,
  ImportsQuery,
  PrepareImportBody,
  importView,
} from './imports.dto.js';
import { ImportLists } from './import-lists.dto.js';
import { mappingOf } from './import-mappings.dto.js';
import { FindMapping } from './find-mapping.js';
import { ReadImport } from './read-import.js';
import { StartImport } from './start-import.js';

const OTHER_PARTS = 64 * 1024;
const BINARY = { schema: { type: 'string', format: 'binary' } } as const;

@ApiTags('Imports')
@Controller('api/v1/imports')
@Access({ roles: ROLES })
export class ImportsController {
  constructor(
    private readonly mappings: FindMapping,
    private readonly startImport: StartImport,
    private readonly readImport: ReadImport,
    private readonly lists: ImportLists,
  ) {}

  @Post()
  @Heavy()
  @ReadsBody({ bodyLimit: MAX_IMPORT_BYTES + OTHER_PARTS, multipart: true })
  @ApiOperation({
    operationId: 'startImport',
    summary: 'Send a file whose rows become events',
    description:
      'A job reads it. Without `mappingId` it proposes a mapping of its columns (state `proposed`), with one it checks every row (state `checked`). Nothing is recorded: in the end `prepare` gives prepared events to sign. A formula, a merged cell, or a value that is not exactly what is wanted is a problem of its row, never a guess. EPCIS in XML needs no mapping: its events are checked at once, each by its place from 1.',
  })
  @ApiConsumes('multipart/form-data')
  @ApiCreatedResponse({ type: ImportView })
  @CreatedAt(({ id }: ImportView) => `/api/v1/imports/${id}`)
  @ApiProblems(importMappingNotFound, importProcessUnknown, quotaExceeded, CONTENT_UNAVAILABLE, QUEUE_UNAVAILABLE)
  async start(@CurrentActor() actor: Actor, @Body() body: ImportBody): Promise<ImportView> {
    const { name, bytes, sha256 } = body.file;
    const wants = await this.mappings.wanted(actor, body);
    return this.shown(actor, await this.startImport.start(actor, { name, bytes, sha256 }, wants));
  }

  @Get()
  @ApiOperation({ operationId: 'listImports', summary: 'Imports of your organisation, newest first' })
  @ApiOkResponse({ type: ImportPageView })
  list(@CurrentActor() actor: Actor, @Query() query: ImportsQuery): Promise<ImportPageView> {
    return this.lists.all(actor, query);
  }

  @Get(':id')
  @ApiOperation({ operationId: 'getImport', summary: 'How far an import is, its proposal, and its counts' })
  @ApiOkResponse({ type: ImportView })
  @ApiProblems(importNotFound)
  byId(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<ImportView> {
    return this.shown(actor, id);
  }

  @Get(':id/problems')
  @ApiOperation({ operationId: 'listImportProblems', summary: 'Rows with problems: the cell to blame, and what is wrong in plain words' })
  @ApiOkResponse({ type: ImportProblemPageView })
  @ApiProblems(importNotFound)
  async problems(@CurrentActor() actor: Actor, @Param('id') id: string, @Query() query: ImportRowsQuery): Promise<ImportProblemPageView> {
    return this.lists.problems(actor, await this.readImport.one(actor, id), query);
  }

  @Get(':id/events')
  @ApiOperation({ operationId: 'listImportedEvents', summary: 'The prepared events, to sign, by row' })
  @ApiOkResponse({ type: ImportedEventPageView })
  @ApiProblems(importNotFound)
  async events(@CurrentActor() actor: Actor, @Param('id') id: string, @Query() query: ImportRowsQuery): Promise<ImportedEventPageView> {
    return this.lists.events(actor, await this.readImport.one(actor, id), query);
  }

  @Get(':id/file')
  @Heavy()
  @ApiOperation({
    operationId: 'downloadMarkedImport',
    summary: 'The file with its problems: a last column says them, in a workbook the cells are marked; in XML comments before the events',
  })
  @ApiOkResponse({
    content: { [XLSX]: BINARY, 'text/csv': { schema: { type: 'string' } }, 'application/xml': { schema: { type: 'string' } } },
  })
  @ApiProblems(importNotFound, CONTENT_UNAVAILABLE)
  async marked(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<StreamableFile> {
    return this.lists.marked(actor, await this.readImport.one(actor, id));
  }

  @Post(':id/check')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'checkImport',
    summary: 'Check every row against a mapping and the rules of the process; nothing is prepared',
  })
  @ApiOkResponse({ type: ImportView })
  @ApiProblems(importNotFound, importMappingNotFound, importUnderway, importWithoutMapping, importProcessUnknown)
  @ApiProblems(roleRequired, INVALID_CONTENT, QUEUE_UNAVAILABLE)
  async check(@CurrentActor() actor: Actor, @Param('id') id: string, @Body() body: CheckImportBody): Promise<ImportView> {
    const mapping: ImportMapping | null = body.mapping ? mappingOf(body.mapping) : null;
    return this.after(actor, id, async (record) =>
      this.startImport.check(actor, record, await this.mappings.toCheck(actor, mapping, body.mappingId ?? null)),
    );
  }

  @Post(':id/prepare')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'prepareImport',
    summary: 'Prepare the events of the rows that were checked',
    description: 'A row that says the same as one that was prepared before, in whichever file, is not prepared again.',
  })
  @ApiOkResponse({ type: ImportView })
  @ApiProblems(importNotFound, importUnderway, importWithoutMapping, importNotChecked, foreignSender, roleRequired, QUEUE_UNAVAILABLE)
  prepare(@CurrentActor() actor: Actor, @Param('id') id: string, @Body() body: PrepareImportBody): Promise<ImportView> {
    return this.after(actor, id, (record) => this.startImport.prepare(actor, record, body));
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @ApiOperation({ operationId: 'cancelImport', summary: 'Stop an import at the next rows; what was prepared stays' })
  @ApiOkResponse({ type: ImportView })
  @ApiProblems(importNotFound, importNotUnderway, roleRequired)
  cancel(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<ImportView> {
    return this.after(actor, id, (record) => this.startImport.cancel(actor, record));
  }

  @Post(':id/resume')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'resumeImport',
    summary: 'Go on with what was cancelled or failed; what was prepared is not prepared again',
  })
  @ApiOkResponse({ type: ImportView })
  @ApiProblems(importNotFound, importUnderway, roleRequired, QUEUE_UNAVAILABLE)
  resume(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<ImportView> {
    return this.after(actor, id, (record) => this.startImport.resume(actor, record));
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ operationId: 'deleteImport', summary: 'Delete an import with its file; its events stay' })
  @ApiNoContentResponse({ description: 'It is gone' })
  @ApiProblems(importNotFound, importUnderway, roleRequired)
  async remove(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<void> {
    await this.startImport.delete(actor, await this.readImport.one(actor, id));
  }

  private async after(actor: Actor, id: string, work: (record: ImportRecord) => Promise<void>): Promise<ImportView> {
    await work(await this.readImport.one(actor, id));
    return this.shown(actor, id);
  }

  private async shown(actor: Actor, id: string): Promise<ImportView> {
    return importView(await this.readImport.one(actor, id));
  }
}
