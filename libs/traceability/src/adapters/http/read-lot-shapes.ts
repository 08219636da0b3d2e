import { Injectable } from '@nestjs/common';
import type { Actor } from '#kernel';
import type { TenantTx } from '#persistence';
import { type AsOf, type LotShape, LotShapes } from '../../contract.js';
import { timeOfBlock } from '../persistence/block-times.js';
import { shownLots } from '../persistence/lot-reads.js';
import { LotViews } from './lot-views.js';

@Injectable()
export class ReadLotShapes extends LotShapes {
  constructor(private readonly lotViews: LotViews) {
    super();
  }

  override async of(tx: TenantTx, actor: Actor, tokenIds: readonly bigint[], asOf: AsOf): Promise<ReadonlyMap<bigint, LotShape>> {
    const at = { block: asOf, time: asOf === null ? null : await timeOfBlock(tx, asOf) };
    const views = await this.lotViews.of(tx, actor, await shownLots(tx, tokenIds, at));
    const shapes = new Map<bigint, LotShape>();
    // Undefined is not shown. A copy without it would be one of thirty fields for each of ten thousand lots.
    for (const view of views) shapes.set(BigInt(view.tokenId), Object.assign(view, { location: undefined }));
    return shapes;
  }
}
