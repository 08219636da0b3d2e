import { ChainHead } from '#chain';
import { Parties } from '#identity';
import type { Actor } from '#kernel';
import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import { Papers } from '../../contract.js';
import type { ShownLot } from '../persistence/lot-reads.js';
import { loadPublicPointers } from '../persistence/map-words.js';
import { type LotSurroundings, type LotView, lotView } from './lots.view.js';

/** Lots as they are shown to somebody: what stands around them is asked for once for all of them. */
@Injectable()
export class LotViews {
  constructor(
    private readonly parties: Parties,
    private readonly chainHead: ChainHead,
    private readonly papers: Papers,
  ) {}

  async of(tx: TenantTx, actor: Actor, lots: readonly ShownLot[]): Promise<LotView[]> {
    const around = await this.around(tx, actor, lots);
    return lots.map((lot) => lotView(lot, around));
  }

  async around(
    tx: TenantTx,
    actor: Actor,
    lots: readonly Pick<ShownLot, 'custodian' | 'process' | 'locatedBy'>[],
  ): Promise<LotSurroundings> {
    const labels = await this.parties.labels(tx, [...new Set(lots.map((lot) => lot.custodian))]);
    const publicPointers = await loadPublicPointers(
      tx,
      lots.map((lot) => lot.process),
    );
    const places = await this.papers.ofEvents(tx, actor, [
      ...new Set(lots.flatMap(({ locatedBy }) => (locatedBy === null ? [] : [locatedBy]))),
    ]);
    const { final } = await this.chainHead.position(tx);
    return { actor, labels, publicPointers, places, finalBlock: final };
  }
}
