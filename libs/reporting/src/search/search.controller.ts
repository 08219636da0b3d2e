import { Heavy } from '#http';
import { Access, CurrentActor } from '#identity';
import { type Actor, hasRole } from '#kernel';
import { UnitOfWork } from '#persistence';
import { scopePatterns } from '#traceability';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { SearchQuery, SearchView } from './search.dto.js';
import { type DocumentReach, SearchQueries } from './search.queries.js';
import { readSought } from './search.rules.js';

@ApiTags('Lots')
@Controller('api/v1/search')
export class SearchController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly search: SearchQueries,
  ) {}

  @Get()
  @Heavy()
  @Access('member')
  @ApiOperation({
    operationId: 'search',
    summary: 'Find lots, products, companies and documents by anything that a label, a document or a caller says',
    description:
      'Codes are found in any case. Documents are those of your own organisation and public ones; AUDITOR, COMPLIANCE and TENANT_ADMIN find all, within their processes.',
  })
  @ApiOkResponse({ type: SearchView })
  find(@CurrentActor() actor: Actor, @Query() { q, limit }: SearchQuery): Promise<SearchView> {
    const sought = readSought(q);
    return this.unitOfWork.read(actor, async (tx) => ({
      readAs: sought.kind,
      ...(await this.search.find(tx, sought, reachOf(actor), limit)),
    }));
  }
}

const reachOf = (actor: Actor): DocumentReach => ({
  all: hasRole(actor, 'AUDITOR', 'COMPLIANCE', 'TENANT_ADMIN'),
  orgId: actor.orgId,
  processes: scopePatterns(actor),
});
