import { ApiProblems, Heavy } from '#http';
import { Access, CurrentActor, Tenants } from '#identity';
import { type Actor, Clock } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Controller, Get, Param, StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { recallNotFound, reportTooLarge } from '../errors.js';
import { recallView } from '../recalls/recalls.dto.js';
import { acknowledgementsView } from './acknowledgements.dto.js';
import { FindRecallReport } from './find-recall-report.js';
import { drawRecallReport } from './draw-recall-report.page.js';

/** Every lot on one page. */
const ALL = { page: 1, limit: Number.MAX_SAFE_INTEGER };

@ApiTags('Recalls')
@Controller('api/v1/recalls/:id/report.pdf')
export class RecallReportController {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly find: FindRecallReport,
    private readonly tenants: Tenants,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Heavy()
  @Access('member')
  @ApiOperation({
    operationId: 'getRecallReport',
    summary: 'A recall for the auditor, as PDF: what was recalled and why, who holds it, what they answered and when',
  })
  @ApiResponse({ status: 200, description: 'PDF', content: { 'application/pdf': { schema: { type: 'string', format: 'binary' } } } })
  @ApiProblems(recallNotFound, reportTooLarge)
  async report(@CurrentActor() actor: Actor, @Param('id') id: string): Promise<StreamableFile> {
    const found = await this.unitOfWork.inSnapshot(actor, (tx) => this.find.of(tx, id));
    const { name } = await this.tenants.byId(actor.tenantId);
    const { recall, affected, labels, truncated, states } = found;
    const pdf = await drawRecallReport({
      recall: recallView(recall, affected),
      answers: acknowledgementsView({ recallId: recall.id, drill: false, truncated, states, labels }, ALL),
      ...{ tenant: name, recalledByLabel: labels.get(recall.recalledBy)!.label, madeAt: this.clock.now() },
    });
    return new StreamableFile(pdf, { type: 'application/pdf', disposition: `attachment; filename="recall-${id}.pdf"` });
  }
}
