import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblems, Heavy, INVALID_CONTENT } from '#http';
import { Access, CurrentActor, Parties } from '#identity';
import { type Actor, isUuid } from '#kernel';
import { UnitOfWork } from '#persistence';
import { notTheHolder, recallIsOver, recallNotFound } from '../errors.js';
import { AcknowledgeRecall, FindAnswers } from './acknowledge-recall.js';
import { AcknowledgementQueries } from './acknowledgements.queries.js';
import {
  AcknowledgeRecallBody,
  LotsAcknowledgedView,
  AcknowledgementsQuery,
  AcknowledgementsView,
  acknowledgementsView,
  answersOf,
} from './acknowledgements.dto.js';

@ApiTags('Recalls')
@Controller('api/v1/recalls/:id/acknowledgements')
export class AcknowledgementsController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly acknowledgeRecall: AcknowledgeRecall,
    private readonly answers: FindAnswers,
    private readonly acknowledgements: AcknowledgementQueries,
    private readonly parties: Parties,
  ) {}

  @Post()
  @Heavy()
  @HttpCode(200)
  @Access({ roles: AcknowledgeRecall.roles })
  @ApiOperation({
    operationId: 'acknowledgeRecall',
    summary: 'Say what you did with recalled or affected lots that you hold; for a drill too',
  })
  @ApiOkResponse({ type: LotsAcknowledgedView })
  @ApiProblems(recallNotFound, recallIsOver, notTheHolder, INVALID_CONTENT)
  async acknowledge(
    @CurrentActor() actor: Actor,
    @Param('id') id: string,
    @Body() body: AcknowledgeRecallBody,
  ): Promise<LotsAcknowledgedView> {
    if (!isUuid(id)) throw recallNotFound(id);
    return { changed: await this.acknowledgeRecall.acknowledge(actor, id, answersOf(body)) };
  }

  @Get()
  @Heavy()
  @Access('member')
  @ApiOperation({
    operationId: 'listAcknowledgements',
    summary: 'What holders did with the lots of a recall or a drill, and who has not answered',
  })
  @ApiOkResponse({ type: AcknowledgementsView })
  @ApiProblems(recallNotFound)
  list(@CurrentActor() actor: Actor, @Param('id') id: string, @Query() query: AcknowledgementsQuery): Promise<AcknowledgementsView> {
    return this.unitOfWork.inSnapshot(actor, async (tx) => {
      const asking = isUuid(id) ? await this.acknowledgements.asking(tx, id) : null;
      if (!asking) throw recallNotFound(id);
      const { states, truncated } = await this.answers.of(tx, asking);
      const labels = await this.parties.labels(tx, [...new Set(states.map(({ lot }) => lot.custodian))]);
      return acknowledgementsView({ recallId: id, drill: asking.drill, truncated, states, labels }, query);
    });
  }
}
