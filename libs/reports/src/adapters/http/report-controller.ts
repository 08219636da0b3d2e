import { ApiProblems } from '#http';
import { Access, CurrentActor, organisationNotFound } from '#identity';
import type { Actor } from '#kernel';
import { Controller, Get, Inject, Param, Query, Res, type StreamableFile, type Type } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { AskReport } from '../../application/ask-report.js';
import { ownOrganisationOnly } from '../../domain/errors.js';
import type { About, Report, ReportClass } from '../../ports.js';
import { type Reply, answerReport } from './answer-report.js';
import { queryOf, viewOf } from './report.dto.js';

type Answer = Promise<object | StreamableFile>;

/** The controllers of one report, made from what is known about it. */
export function reportControllers(type: ReportClass): Type[] {
  return type.about.ofOrganisation ? [ofTenant(type), ofOrganisation(type)] : [ofTenant(type)];
}

function ofTenant(type: ReportClass): Type {
  const { about } = type;
  class Asked extends queryOf(about) {}

  @ApiTags('reports')
  @Controller('api/v1/reports')
  class TenantReport {
    constructor(
      @Inject(AskReport) private readonly askReport: AskReport,
      @Inject(type) private readonly report: Report,
    ) {}

    @Get(about.name)
    @Access({ roles: about.access })
    @ApiOperation({ summary: about.title, description: tableOf(about), operationId: `report_${about.name}` })
    @ApiOkResponse({ type: viewOf(about) })
    @ApiProduces('application/json', 'text/csv')
    @ApiProblems(ownOrganisationOnly, organisationNotFound)
    read(@CurrentActor() actor: Actor, @Query() query: Asked, @Res({ passthrough: true }) reply: Reply): Answer {
      return answerReport(this.askReport, this.report, about, actor, query, reply);
    }
  }
  return TenantReport;
}

function ofOrganisation(type: ReportClass): Type {
  const { about } = type;
  class Asked extends queryOf(about) {}

  @ApiTags('reports')
  @Controller('api/v1/reports')
  class OrganisationReport {
    constructor(
      @Inject(AskReport) private readonly askReport: AskReport,
      @Inject(type) private readonly report: Report,
    ) {}

    @Get(`${about.name}/:orgId`)
    @Access({ roles: about.access })
    @ApiOperation({ summary: `${about.title}: of one organisation`, operationId: `report_${about.name}_organisation` })
    @ApiOkResponse({ type: viewOf(about) })
    @ApiProduces('application/json', 'text/csv')
    @ApiProblems(ownOrganisationOnly, organisationNotFound)
    read(
      @CurrentActor() actor: Actor,
      @Param('orgId') orgId: string,
      @Query() query: Asked,
      @Res({ passthrough: true }) reply: Reply,
    ): Answer {
      return answerReport(this.askReport, this.report, about, actor, Object.assign(query, { orgId }), reply);
    }
  }
  return OrganisationReport;
}

/** The columns of the table, with their units, for the OpenAPI document. */
const tableOf = ({ columns }: About): string =>
  [
    'Columns of `format=csv`:',
    ...columns.map(({ name, unit, description }) => `- \`${name}\`${unit ? ` (${unit})` : ''}: ${description}`),
  ].join('\n');
