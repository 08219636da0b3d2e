import { Injectable } from '@nestjs/common';
import type { Actor } from '#kernel';
import type { TenantTx } from '#persistence';
import { type AsOf, type LotShape, LotShapes } from '../../contract.js';
import { timeOfBlock } from '../persistence/block-times.js';
import { lotsByTokenIds } from '../persistence/lot-reads.js';
import { LotViews } from './lot-views.js';

@Injectable()
export class ReadLotShapes extends LotShapes {
  constructor(private readonly lotViews: LotViews) {
    super();
  }

  override async of(tx: TenantTx, actor: Actor, tokenIds: readonly bigint[], asOf: AsOf): Promise<ReadonlyMap<bigint, LotShape>> {
    const at = { block: asOf, time: asOf === null ? null : await timeOfBlock(tx, asOf) };
    const views = await this.lotViews.of(tx, actor, await lotsByTokenIds(tx, tokenIds, at, false));
    return new Map(
      views.map((view): [bigint, LotShape] => {
        const { location: _, ...shape } = view;
        return [BigInt(view.tokenId), shape];
      }),
    );
  }
}
