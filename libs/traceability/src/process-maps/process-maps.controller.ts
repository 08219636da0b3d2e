import {
  ApiProblems,
  CreatedAt,
  CONTENT_UNAVAILABLE,
  INVALID_CONTENT,
  NotModified,
  PageQuery,
  StringField,
  type TaggedReply,
  isUnchanged,
  mayKeep,
  rateLimited,
  serviceBusy,
} from '#http';
import { Access, CurrentActor, quotaExceeded } from '#identity';
import { type Actor, pageFrom, processOutOfScope } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Body, Controller, Get, Headers, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ExamineValues } from './examine-values.js';
import { FindProcessMap } from './read-process-maps.js';
import { ExamineProcessMap, PublishProcessMap } from './publish-process-map.js';
import { processMapExists, processMapNotFound, processMapOutdated, processTypeTaken } from '../errors.js';
import { headOf } from './process-map.js';
import { ProcessMapQueries } from './process-maps.queries.js';
import { processMapPacks, processMapSchema, processMapTemplates } from '../templates/templates.js';
import {
  ProcessMapDocumentView,
  ProcessMapTrialBody,
  ProcessMapTrialView,
  ProcessMapPageView,
  ProcessMapTemplatesView,
  ProcessMapVerdictView,
  ProcessMapView,
  processMapDocumentView,
  processMapTemplateView,
  processMapView,
} from './process-maps.dto.js';

export class ProcessMapQuery {
  @StringField({ description: 'A published version; absent: the newest', optional: true, maxLength: 40 })
  version?: string;
}

@ApiTags('Process maps')
@Controller('api/v1/process-maps')
@Access('member')
export class ProcessMapsController {
  constructor(
    private readonly work: UnitOfWork,
    private readonly maps: ProcessMapQueries,
    private readonly findProcessMap: FindProcessMap,
    private readonly examineProcessMap: ExamineProcessMap,
    private readonly publishProcessMap: PublishProcessMap,
  ) {}

  @Get()
  @ApiOperation({ summary: "List the tenant's process maps, each in its newest version" })
  @ApiOkResponse({ type: ProcessMapPageView })
  async list(@CurrentActor() actor: Actor, @Query() { page, limit }: PageQuery): Promise<ProcessMapPageView> {
    const { maps, total } = await this.work.read(actor, (tx) => this.maps.page(tx, { page, limit }));
    return pageFrom(maps.map(processMapView), total, { page, limit });
  }

  @Get(':name')
  @ApiOperation({ summary: 'Get one process map with its document' })
  @ApiOkResponse({ type: ProcessMapDocumentView })
  @NotModified()
  @ApiProblems(processMapNotFound)
  async one(
    @CurrentActor() actor: Actor,
    @Param('name') name: string,
    @Query() query: ProcessMapQuery,
    @Headers('if-none-match') known: string | undefined,
    @Res({ passthrough: true }) reply: TaggedReply,
  ): Promise<ProcessMapDocumentView | undefined> {
    const { map, versions } = await this.findProcessMap.find(actor, name, query.version ?? null);
    // A version never changes, and the list of versions only grows.
    const etag = `W/"${map.cid}.${versions.length}"`;
    if (isUnchanged(known, reply, etag)) return undefined;
    mayKeep(reply, etag);
    return processMapDocumentView(map, versions);
  }

  @Post()
  @Access({ roles: ['TENANT_ADMIN'] })
  @ApiOperation({
    operationId: 'publishProcessMap',
    summary: 'Publish a version of a process map. It never changes; the same document again has no effect',
  })
  @ApiBody({ schema: { type: 'object', description: `The process map format 1.0 (${String(processMapSchema['$id'])})` } })
  @ApiCreatedResponse({ type: ProcessMapView })
  @CreatedAt(
    ({ name, version }: ProcessMapView) => `/api/v1/process-maps/${encodeURIComponent(name)}?version=${encodeURIComponent(version)}`,
  )
  @ApiProblems(
    INVALID_CONTENT,
    processMapExists,
    processMapOutdated,
    processTypeTaken,
    processOutOfScope,
    quotaExceeded,
    CONTENT_UNAVAILABLE,
    serviceBusy,
  )
  async publish(@CurrentActor() actor: Actor, @Body() document: object): Promise<ProcessMapView> {
    return processMapView(headOf(await this.publishProcessMap.publish(actor, document)));
  }

  @Post('validate')
  @HttpCode(200)
  @Access({ roles: ['TENANT_ADMIN'] })
  @ApiOperation({ summary: 'Check a process map as publishing would; nothing is published' })
  @ApiBody({ schema: { type: 'object', description: `The process map format 1.0 (${String(processMapSchema['$id'])})` } })
  @ApiOkResponse({ type: ProcessMapVerdictView })
  @ApiProblems(INVALID_CONTENT, processMapExists, processMapOutdated, processTypeTaken, processOutOfScope, serviceBusy)
  async validate(@CurrentActor() actor: Actor, @Body() document: object): Promise<ProcessMapVerdictView> {
    const { map, published } = await this.examineProcessMap.examine(actor, document);
    return Object.assign(processMapView(headOf(map)), { published });
  }
}

/** Values against a map that is still being written. */
@ApiTags('Process maps')
@Controller('api/v1/process-maps')
@Access('member')
export class ProcessMapTrialsController {
  constructor(private readonly examineValues: ExamineValues) {}

  @Post('try')
  @HttpCode(200)
  @Access({ roles: ['TENANT_ADMIN'] })
  @ApiOperation({
    operationId: 'tryProcessMap',
    summary: 'Check values against a process of a map before it is published; nothing is stored',
  })
  @ApiOkResponse({ type: ProcessMapTrialView })
  @ApiProblems(INVALID_CONTENT, processMapExists, processMapOutdated, processTypeTaken, processOutOfScope, rateLimited, serviceBusy)
  async try(@CurrentActor() actor: Actor, @Body() { document, processType, metadata }: ProcessMapTrialBody): Promise<ProcessMapTrialView> {
    const issues = await this.examineValues.examine(actor, document, processType, metadata);
    return { valid: issues.length === 0, issues: issues.map(({ pointer, code, message }) => ({ pointer, code, message })) };
  }
}

/** Maps to start from: they are changed and published as one's own. */
@ApiTags('Process maps')
@Controller('api/v1/process-map-templates')
@Access('member')
export class ProcessMapTemplatesController {
  @Get()
  @ApiOperation({ operationId: 'listProcessMapTemplates', summary: 'Process maps to start from, with their documents' })
  @ApiOkResponse({ type: ProcessMapTemplatesView })
  list(): ProcessMapTemplatesView {
    return { data: [...processMapTemplates, ...processMapPacks].map(processMapTemplateView) };
  }
}
