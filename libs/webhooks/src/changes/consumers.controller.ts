import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiProblems, StringField, malformedRequest } from '#http';
import { Access, CurrentActor } from '#identity';
import { type Actor, Clock, isUuid } from '#kernel';
import { UnitOfWork } from '#persistence';
import { changesUnknown, consumerNotFound, tooManyConsumers, topicUnknown } from '../errors.js';
import { ChangeConsumer, administersConsumers } from './change-consumer.js';
import { CONSUMER_NAME } from './changes.dto.js';
import { AcknowledgeChangesBody, ConsumerBody, ConsumerView, consumerView } from './consumers.dto.js';
import { type Consumer, ConsumersQueries } from './consumers.queries.js';
import { cursorOf } from './read-changes.js';

class RemoveConsumerQuery {
  @StringField({ description: 'Of whom, for an administrator; you, without it', optional: true, format: 'uuid' })
  ownerId?: string;
}

const NAME = { name: 'name', schema: { type: 'string' as const, pattern: CONSUMER_NAME.source } };

@ApiTags('Changes')
@Access('member')
@Controller('api/v1/changes/consumers')
export class ConsumersController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly consumers: ConsumersQueries,
    private readonly changeConsumer: ChangeConsumer,
    private readonly clock: Clock,
  ) {}

  @Get()
  @ApiOperation({ operationId: 'listConsumers', summary: 'Your consumers and how far each is behind; an administrator sees those of all' })
  @ApiOkResponse({ type: [ConsumerView] })
  async list(@CurrentActor() actor: Actor): Promise<ConsumerView[]> {
    const owner = administersConsumers(actor) ? null : actor.id;
    return (await this.unitOfWork.read(actor, (tx) => this.consumers.list(tx, owner))).map((consumer) => this.view(actor, consumer));
  }

  @Get(':name')
  @ApiOperation({ operationId: 'getConsumer', summary: 'One of your consumers' })
  @ApiParam(NAME)
  @ApiOkResponse({ type: ConsumerView })
  @ApiProblems(consumerNotFound)
  async get(@CurrentActor() actor: Actor, @Param('name') name: string): Promise<ConsumerView> {
    return this.view(actor, await this.unitOfWork.read(actor, (tx) => this.consumers.byName(tx, actor, name)));
  }

  @Put(':name')
  @ApiOperation({ operationId: 'putConsumer', summary: 'Make a consumer, or change its topics or its place' })
  @ApiParam(NAME)
  @ApiOkResponse({ type: ConsumerView })
  @ApiProblems(topicUnknown, tooManyConsumers, changesUnknown)
  async put(@CurrentActor() actor: Actor, @Param('name') name: string, @Body() body: ConsumerBody): Promise<ConsumerView> {
    const message = 'A name has up to 64 letters, digits, dots, hyphens and underscores, and begins with a letter or digit.';
    if (!CONSUMER_NAME.test(name)) throw malformedRequest([{ pointer: '/name', code: 'pattern_mismatch', message }]);
    return this.view(actor, await this.changeConsumer.put(actor, name, body));
  }

  @Post(':name/acknowledge')
  @HttpCode(200)
  @ApiOperation({ operationId: 'acknowledgeChanges', summary: 'Say how far you have processed the changes; the place never goes back' })
  @ApiParam(NAME)
  @ApiOkResponse({ type: ConsumerView })
  @ApiProblems(consumerNotFound, changesUnknown)
  async acknowledge(
    @CurrentActor() actor: Actor,
    @Param('name') name: string,
    @Body() { cursor }: AcknowledgeChangesBody,
  ): Promise<ConsumerView> {
    return this.view(actor, await this.changeConsumer.acknowledge(actor, name, cursor));
  }

  @Delete(':name')
  @HttpCode(204)
  @ApiOperation({ operationId: 'deleteConsumer', summary: 'Delete a consumer' })
  @ApiParam(NAME)
  @ApiNoContentResponse()
  @ApiProblems(consumerNotFound)
  async remove(@CurrentActor() actor: Actor, @Param('name') name: string, @Query() { ownerId }: RemoveConsumerQuery): Promise<void> {
    if (ownerId !== undefined && !isUuid(ownerId)) throw consumerNotFound(name);
    await this.changeConsumer.remove(actor, name, ownerId);
  }

  private view({ tenantId }: Actor, consumer: Consumer): ConsumerView {
    return consumerView(consumer, (place) => cursorOf(tenantId, place), this.clock.now());
  }
}
