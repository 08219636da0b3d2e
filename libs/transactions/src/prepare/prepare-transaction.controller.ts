import { ApiProblems, serviceBusy } from '#http';
import { CurrentActor } from '#identity';
import { inputNotFinal, tlcAmbiguous, tlcTaken } from '#traceability';
import { type Actor, beyondOwnGrants, processOutOfScope, roleRequired } from '#kernel';
import { Prepares } from '#prepare';
import { Body, Controller, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { unknownMethod, unknownProcess } from '../errors.js';
import { PreparedGenericView, TxPrepareBody, preparedGenericView } from './prepare-transaction.dto.js';
import { PrepareTransaction } from './prepare-transaction.js';

@ApiTags('Transactions')
@Controller('api/v1/tx')
export class PrepareTransactionController {
  constructor(private readonly prepareTransaction: PrepareTransaction) {}

  @Post('prepare')
  @Prepares(PrepareTransaction)
  @ApiOperation({ summary: "Prepare any state-changing method of the tenant's contract" })
  @ApiOkResponse({ type: PreparedGenericView })
  @ApiProblems(
    ...[tlcTaken, tlcAmbiguous, inputNotFinal, unknownMethod, unknownProcess],
    ...[processOutOfScope, roleRequired, beyondOwnGrants, serviceBusy],
  )
  async prepare(@CurrentActor() actor: Actor, @Body() body: TxPrepareBody): Promise<PreparedGenericView> {
    return preparedGenericView(await this.prepareTransaction.prepare(actor, body));
  }
}
