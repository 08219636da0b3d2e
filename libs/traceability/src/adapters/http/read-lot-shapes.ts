import { Injectable } from '@nestjs/common';
import type { Actor } from '#kernel';
import type { TenantTx } from '#persistence';
import { type AsOf, LotShapes, type ShownTrace } from '../../contract.js';
import { timeOfBlock } from '../persistence/block-times.js';
import { tracedLots } from '../persistence/traced-lots.js';
import { tracesOf } from '../persistence/sql-traces.js';
import { LotViews } from './lot-views.js';

@Injectable()
export class ReadLotShapes extends LotShapes {
  constructor(private readonly lotViews: LotViews) {
    super();
  }

  override async of(tx: TenantTx, actor: Actor, tokenIds: readonly bigint[], asOf: AsOf): Promise<readonly ShownTrace[]> {
    const at = { block: asOf, time: asOf === null ? null : await timeOfBlock(tx, asOf) };
    const lots = await tracedLots(tx, tokenIds, at);
    const views = await this.lotViews.of(tx, actor, lots);
    // Undefined is not shown. A copy without it would be one of thirty fields for each of ten thousand lots.
    return (await tracesOf(tx, lots, asOf)).map((trace, i) => ({ trace, shape: Object.assign(views[i]!, { location: undefined }) }));
  }
}
