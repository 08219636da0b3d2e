import { ApiProblems, CreatedAt, Heavy, tokenId } from '#http';
import { Access, CurrentActor } from '#identity';
import { type Actor, isUuid, pageFrom } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { RunDrill } from './run-drill.js';
import { drillNotFound, lotNotFound, nothingToDraw } from '../errors.js';
import { DrillQueries } from './drills.queries.js';
import { drillCsv } from './drill.js';
import { DrillBody, DrillPageView, DrillQuery, DrillView, DrillsQuery, drillView } from './drills.dto.js';

interface Reply {
  header(name: string, value: string): unknown;
}

@ApiTags('Recalls')
@Controller('api/v1/recall/drills')
export class DrillsController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly runDrill: RunDrill,
    private readonly drills: DrillQueries,
  ) {}

  @Post()
  @Heavy()
  @Access({ roles: ['COMPLIANCE', 'TENANT_ADMIN'] })
  @ApiOperation({ operationId: 'runRecallDrill', summary: 'Run a mock recall of a lot, given or drawn at random, and keep the report' })
  @ApiCreatedResponse({ type: DrillView })
  @CreatedAt(({ id }: DrillView) => `/api/v1/recall/drills/${id}`)
  @ApiProblems(lotNotFound, nothingToDraw)
  async run(@CurrentActor() actor: Actor, @Body() body: DrillBody): Promise<DrillView> {
    return drillView(await this.runDrill.run(actor, body.tokenId === undefined ? null : tokenId(body.tokenId), body.ask));
  }

  @Get()
  @Access('member')
  @ApiOperation({ summary: 'Mock recalls, newest first' })
  @ApiOkResponse({ type: DrillPageView })
  list(@CurrentActor() actor: Actor, @Query() query: DrillsQuery): Promise<DrillPageView> {
    return this.unitOfWork.read(actor, async (tx) => {
      const { drills, counted } = await this.drills.list(tx, (query.page - 1) * query.limit, query.limit);
      return pageFrom(drills.map(drillView), counted, query);
    });
  }

  @Get(':id')
  @Access('member')
  @ApiOperation({ summary: 'One mock recall, as JSON or CSV' })
  @ApiOkResponse({ type: DrillView })
  @ApiProduces('application/json', 'text/csv')
  @ApiProblems(drillNotFound)
  byId(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @Query() { format }: DrillQuery,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<DrillView | string> {
    return this.unitOfWork.read(actor, async (tx) => {
      const drill = isUuid(id) ? await this.drills.byId(tx, id) : null;
      if (!drill) throw drillNotFound(id);
      if (format === 'json') return drillView(drill);
      reply.header('content-type', 'text/csv; charset=utf-8');
      reply.header('content-disposition', `attachment; filename="recall-drill-${drill.id}.csv"`);
      return drillCsv(drill);
    });
  }
}
