import type { TenantTx } from '#persistence';
import { Lineage, Traces } from '#traceability';
import { Injectable } from '@nestjs/common';
import { type Reach, reachOf } from '../domain/nft-recalled.js';

/** Of what a webhook tells: the defaults of recall-impact (domain-decisions §3). */
const BOUNDS = { maxDepth: 50, maxNodes: 5000 };

/** What each of the lots reaches that one transaction recalled: a few statements and one walk for up to 500 of them, whatever they share. */
@Injectable()
export class TellReach {
  constructor(
    private readonly lineage: Lineage,
    private readonly traces: Traces,
  ) {}

  async of(tx: TenantTx, roots: readonly bigint[]): Promise<ReadonlyMap<bigint, Reach>> {
    const reaches = await this.lineage.reachOfEach(tx, roots, BOUNDS);
    const lots = [...new Set([...roots, ...[...reaches.values()].flatMap((reach) => reach.lots)])];
    const known = new Map((await this.traces.of(tx, lots, null)).map((trace) => [trace.tokenId, trace]));
    return new Map([...reaches].map(([root, reach]) => [root, reachOf(root, reach, known)]));
  }
}
