import { ApiProblems, CONTENT_UNAVAILABLE, INVALID_CONTENT, PageQuery, StringField } from '#http';
import { Access, CurrentActor, quotaExceeded } from '#identity';
import { type Actor, pageFrom } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { FindProcessMap } from '../../application/find-process-map.js';
import { PublishProcessMap } from '../../application/publish-process-map.js';
import { processMapExists, processMapNotFound, processMapOutdated, processTypeTaken } from '../../domain/errors.js';
import { ProcessMaps } from '../../ports.js';
import { processMapSchema } from '../../templates/templates.js';
import {
  ProcessMapDocumentView,
  ProcessMapPageView,
  ProcessMapVerdictView,
  ProcessMapView,
  processMapDocumentView,
  processMapView,
} from './process-maps.view.js';

export class ProcessMapQuery {
  @StringField({ description: 'A published version; absent: the newest', optional: true, maxLength: 40 })
  version?: string;
}

@ApiTags('process maps')
@Controller('api/v1/process-maps')
@Access('member')
export class ProcessMapsController {
  constructor(
    private readonly work: UnitOfWork,
    private readonly maps: ProcessMaps,
    private readonly findProcessMap: FindProcessMap,
    private readonly publishProcessMap: PublishProcessMap,
  ) {}

  @Get()
  @ApiOperation({ summary: "The tenant's process maps, each in its newest version" })
  @ApiOkResponse({ type: ProcessMapPageView })
  async list(@CurrentActor() actor: Actor, @Query() { page, limit }: PageQuery): Promise<ProcessMapPageView> {
    const maps = await this.work.inTransaction(actor, (tx) => this.maps.all(tx));
    const data = maps.slice((page - 1) * limit, page * limit).map(processMapView);
    return pageFrom(data, maps.length, { page, limit });
  }

  @Get(':name')
  @ApiOperation({ summary: 'One process map with its document' })
  @ApiOkResponse({ type: ProcessMapDocumentView })
  @ApiProblems(processMapNotFound)
  async one(@CurrentActor() actor: Actor, @Param('name') name: string, @Query() query: ProcessMapQuery): Promise<ProcessMapDocumentView> {
    const { map, versions } = await this.findProcessMap.find(actor, name, query.version ?? null);
    return processMapDocumentView(map, versions);
  }

  @Post()
  @Access({ roles: ['TENANT_ADMIN'] })
  @ApiOperation({ summary: 'Publish a version of a process map, for ever; the same document again changes nothing' })
  @ApiBody({ schema: { type: 'object', description: `The process map format 1.0 (${String(processMapSchema['$id'])})` } })
  @ApiCreatedResponse({ type: ProcessMapView })
  @ApiProblems(INVALID_CONTENT, processMapExists, processMapOutdated, processTypeTaken, quotaExceeded, CONTENT_UNAVAILABLE)
  async publish(@CurrentActor() actor: Actor, @Body() document: object): Promise<ProcessMapView> {
    return processMapView(await this.publishProcessMap.publish(actor, document));
  }

  @Post('validate')
  @HttpCode(200)
  @Access({ roles: ['TENANT_ADMIN'] })
  @ApiOperation({ summary: 'What publishing a process map would come to; nothing is published' })
  @ApiBody({ schema: { type: 'object', description: `The process map format 1.0 (${String(processMapSchema['$id'])})` } })
  @ApiOkResponse({ type: ProcessMapVerdictView })
  @ApiProblems(INVALID_CONTENT, processMapExists, processMapOutdated, processTypeTaken)
  async validate(@CurrentActor() actor: Actor, @Body() document: object): Promise<ProcessMapVerdictView> {
    const { map, published } = await this.publishProcessMap.validate(actor, document);
    return Object.assign(processMapView(map), { published });
  }
}
