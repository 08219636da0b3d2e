import { Readable } from 'node:stream';
import { Access, ApiProblems, CreatedAt, CurrentActor, EnumField, INVALID_CONTENT, pageView } from '#http';
import { quotaExceeded } from '#identity';
import { type Actor, ROLES, roleRequired } from '#kernel';
import { UnitOfWork } from '#persistence';
import { type Line, XLSX, csvOf, workbookStream } from '#spreadsheets';
import { Processes } from '#traceability';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, StreamableFile } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { importMappingNotFound, importProcessUnknown, importTemplateNotFound } from '../errors.js';
import { FindMapping } from './find-mapping.js';
import {
  KeepMappingBody,
  SavedMappingPageView,
  SavedMappingView,
  MappingsQuery,
  savedMappingView,
  mappingOf,
} from './import-mappings.dto.js';
import { headerOf } from './mapping-proposal.js';
import { MappingQueries } from './mappings.queries.js';
import { fieldsOf } from './process-fields.js';

class ImportTemplateQuery {
  @EnumField(['xlsx', 'csv'], { description: 'Format', optional: true, default: 'xlsx' })
  format: 'xlsx' | 'csv' = 'xlsx';
}

@ApiTags('Imports')
@Controller('api/v1/import-mappings')
@Access({ roles: ROLES })
export class ImportMappingsController {
  constructor(
    private readonly work: UnitOfWork,
    private readonly mappings: MappingQueries,
    private readonly findMapping: FindMapping,
  ) {}

  @Post()
  @ApiOperation({ operationId: 'keepImportMapping', summary: 'Keep a mapping for the files of a partner: the next version of its name' })
  @ApiCreatedResponse({ type: SavedMappingView })
  @CreatedAt(({ id }: SavedMappingView) => `/api/v1/import-mappings/${id}`)
  @ApiProblems(importProcessUnknown, quotaExceeded, INVALID_CONTENT)
  async keep(@CurrentActor() actor: Actor, @Body() { name, partner, mapping }: KeepMappingBody): Promise<SavedMappingView> {
    return savedMappingView(await this.findMapping.keep(actor, { name, partner, mapping: mappingOf(mapping) }));
  }

  @Get()
  @ApiOperation({ operationId: 'listImportMappings', summary: 'Kept mappings, all versions' })
  @ApiOkResponse({ type: SavedMappingPageView })
  async list(@CurrentActor() actor: Actor, @Query() query: MappingsQuery): Promise<SavedMappingPageView> {
    const { name = null, partner = null, page, limit } = query;
    return pageView(await this.work.read(actor, (tx) => this.mappings.list(tx, { name, partner }, { page, limit })), savedMappingView);
  }

  @Get(':id')
  @ApiOperation({ operationId: 'getImportMapping', summary: 'One version of a kept mapping' })
  @ApiOkResponse({ type: SavedMappingView })
  @ApiProblems(importMappingNotFound)
  async byId(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<SavedMappingView> {
    return savedMappingView(await this.findMapping.byId(actor, id));
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ operationId: 'deleteImportMapping', summary: 'Delete one version of a kept mapping; its number is not used again' })
  @ApiNoContentResponse({ description: 'It is gone' })
  @ApiProblems(importMappingNotFound, roleRequired)
  async remove(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<void> {
    await this.findMapping.delete(actor, id);
  }
}

@ApiTags('Imports')
@Controller('api/v1/import-templates')
@Access('member')
export class ImportTemplatesController {
  constructor(
    private readonly work: UnitOfWork,
    private readonly processes: Processes,
  ) {}

  @Get(':processType')
  @ApiOperation({
    operationId: 'getImportTemplate',
    summary: 'A spreadsheet with a column for each value of the events of a process, whose mapping is proposed without questions of names',
  })
  @ApiOkResponse({ content: { [XLSX]: { schema: { type: 'string', format: 'binary' } }, 'text/csv': { schema: { type: 'string' } } } })
  @ApiProblems(importTemplateNotFound)
  async template(
    @CurrentActor() actor: Actor,
    @Param('processType') processType: string,
    @Query() { format }: ImportTemplateQuery,
  ): Promise<StreamableFile> {
    const shape = await this.work.inTransaction(actor, (tx) => this.processes.shapeOf(tx, processType));
    if (!shape) throw importTemplateNotFound(processType);
    const columns = fieldsOf(shape).map(headerOf);
    const none: readonly (readonly Line[])[] = [];
    const bytes =
      format === 'csv'
        ? csvOf(columns, (line) => [line], none)
        : Readable.from(workbookStream({ name: processType.slice(0, 31), columns }, none));
    return new StreamableFile(bytes, {
      type: format === 'csv' ? 'text/csv; charset=utf-8' : XLSX,
      disposition: `attachment; filename="${processType.replaceAll(/[^\w.-]/g, '_')}.${format}"`,
    });
  }
}
