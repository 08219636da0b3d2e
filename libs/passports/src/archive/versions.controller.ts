import { ApiProblems, PageQuery } from '#http';
import { Access, CurrentActor } from '#identity';
import type { Actor } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { passportNotFound } from '../errors.js';
import { passportId } from '../issuing/passports.dto.js';
import { PassportsQueries } from '../issuing/passports.queries.js';
import { PassportVersionPageView, versionView } from './versions.dto.js';
import { VersionsQueries } from './versions.queries.js';

@ApiTags('Passports')
@Controller('api/v1/passports/:passportId/versions')
@Access('member')
export class PassportVersionsController {
  constructor(
    private readonly work: UnitOfWork,
    private readonly passports: PassportsQueries,
    private readonly versions: VersionsQueries,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Every version of a passport, newest first: when it began, its hash, and what changed',
    description: '`GET /v1/dppsByIdAndDate/{dppId}?date=…&representation=full` has the document of a version, with these bytes.',
  })
  @ApiOkResponse({ type: PassportVersionPageView })
  @ApiProblems(passportNotFound)
  async list(@CurrentActor() actor: Actor, @Param('passportId') id: string, @Query() query: PageQuery): Promise<PassportVersionPageView> {
    const known = passportId(id);
    const [passport, listed] = await this.work.read(actor, (tx) =>
      Promise.all([this.passports.byId(tx, known), this.versions.list(tx, known, query)]),
    );
    if (!passport) throw passportNotFound();
    const { nextCursor: _, ...page } = listed;
    return { ...page, data: page.data.map(versionView) };
  }
}
