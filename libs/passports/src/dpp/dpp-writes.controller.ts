import { ApiProblems, serviceBusy, WritesProblemsAs } from '#http';
import { Access, CurrentActor } from '#identity';
import { type Actor, processOutOfScope, foreignSender } from '#kernel';
import { eventNotFound, eventNotLanded, eventVoided, inputNotFinal, notEntitled, tlcAmbiguous, tlcTaken } from '#traceability';
import { Body, Controller, Delete, HttpCode, Param, Patch, Post, Query, Req } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { compressedDocument } from '../composing/dpp-document.rules.js';
import { elementPath } from '../elements/element-path.js';
import {
  elementNotFound,
  elementsUnknown,
  passportNotFound,
  passportRecalled,
  pathMalformed,
  pathNotSingular,
  productIdAmbiguous,
  representationNotWritable,
} from '../errors.js';
import type { PassportRequest } from '../issuing/passports.dto.js';
import { WithdrawPassport } from '../issuing/withdraw-passport.js';
import { CreateDpp } from './create-dpp.js';
import { type PreparedDppView, RESULT, RepresentationQuery, WRITTEN_DPP, WRITTEN_ELEMENT, WritesDpp, preparedDppView } from './dpp.dto.js';
import { ReadDpp } from './read-dpp.js';
import { UpdateDpp } from './update-dpp.js';

const CHANGES = [elementsUnknown, eventNotFound, eventNotLanded, eventVoided, notEntitled, processOutOfScope, foreignSender, serviceBusy];

/** EN 18222:2026, the writing methods. A passport follows from events on a chain, so each of them prepares one (docs/reference/dpp-conformance.md). */
@ApiTags('Digital product passports')
@Controller('v1/dpps')
@Access('member')
export class DppWritesController {
  constructor(
    private readonly createDpp: CreateDpp,
    private readonly updateDpp: UpdateDpp,
    private readonly readDpp: ReadDpp,
    private readonly withdrawPassport: WithdrawPassport,
  ) {}

  @Post()
  @WritesDpp('createDPP', 'CreateDPP: prepare the event that makes the goods (EN 18222 clause 4.6)', WRITTEN_DPP, false)
  @ApiProblems(representationNotWritable, processOutOfScope, foreignSender, tlcTaken, tlcAmbiguous, inputNotFinal, serviceBusy)
  async create(@CurrentActor() actor: Actor, @Query() query: RepresentationQuery, @Body() body: object): Promise<PreparedDppView> {
    const document = written(query, body);
    return preparedDppView(await this.createDpp.create(actor, document), String(document['uniqueProductIdentifier']));
  }

  @Patch(':dppId')
  @Access({ roles: UpdateDpp.roles })
  @WritesDpp('updateDPPById', 'UpdateDPPById: prepare a correction of elements (EN 18222 clause 4.7)', WRITTEN_DPP, true)
  @ApiProblems(representationNotWritable, passportNotFound, ...CHANGES)
  @ApiParam({ name: 'dppId' })
  async update(
    @CurrentActor() actor: Actor,
    @Param('dppId') dppId: string,
    @Query() query: RepresentationQuery,
    @Body() body: object,
  ): Promise<PreparedDppView> {
    return preparedDppView(await this.updateDpp.update(actor, dppId, written(query, body)), null);
  }

  @Patch(':dppId/elements/:elementIdPath')
  @Access({ roles: UpdateDpp.roles })
  @WritesDpp('updateDataElement', 'UpdateDataElement: prepare a correction of one element (EN 18222 clause 6.3)', WRITTEN_ELEMENT, false)
  @ApiProblems(representationNotWritable, passportNotFound, productIdAmbiguous, pathMalformed, pathNotSingular)
  @ApiProblems(elementNotFound, ...CHANGES)
  @ApiParam({ name: 'dppId' })
  @ApiParam({ name: 'elementIdPath', description: 'Normalised path (RFC 9535) into the compressed passport, percent-encoded once' })
  async updateElement(
    @CurrentActor() actor: Actor,
    @Param('dppId') dppId: string,
    @Param('elementIdPath') path: string,
    @Query() { representation }: RepresentationQuery,
    @Req() request: PassportRequest & { readonly body: unknown },
  ): Promise<PreparedDppView> {
    if (representation === 'full') throw representationNotWritable();
    const steps = elementPath(path);
    if (steps === 'path_malformed') throw pathMalformed();
    if (steps === 'path_not_singular') throw pathNotSingular();
    const id = await this.updateDpp.idOf(actor, dppId);
    // An item of a list is written with its list.
    const isItem = steps.some((step) => typeof step === 'number');
    const current = isItem ? compressedDocument((await this.readDpp.byId(id, request)).document) : {};
    return preparedDppView(await this.updateDpp.updateElement(actor, id, { steps, value: request.body ?? null, current }), null);
  }

  @Delete(':dppId')
  @HttpCode(204)
  @Access({ roles: ['TENANT_ADMIN'], everyProcess: true })
  @WritesProblemsAs('en18222', RESULT)
  @ApiOperation({ operationId: 'deleteDPPById', summary: 'DeleteDPPById: withdraw a passport; its archive stays (EN 18222 clause 4.8)' })
  @ApiNoContentResponse({ description: 'Nobody reads it from now on' })
  @ApiProblems(passportNotFound, passportRecalled)
  @ApiParam({ name: 'dppId' })
  async remove(@CurrentActor() actor: Actor, @Param('dppId') dppId: string): Promise<void> {
    await this.withdrawPassport.withdraw(actor, await this.updateDpp.idOf(actor, dppId), 'DeleteDPPById');
  }
}

function written({ representation }: RepresentationQuery, body: object): Readonly<Record<string, unknown>> {
  if (representation === 'full') throw representationNotWritable();
  return body as Readonly<Record<string, unknown>>;
}
