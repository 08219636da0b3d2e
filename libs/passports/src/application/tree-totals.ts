import { Footprints, type LotFootprint } from '#traceability';
import { Injectable } from '@nestjs/common';
import { DomainError } from '#kernel';
import type { TenantTx } from '#persistence';
import type { PublicFootprint } from '../domain/passport.js';

/** The widest walk (api-decisions §4): a part of a tree would be a wrong sum. */
export const WIDEST = { maxDepth: 200, maxNodes: 20_000 };

/** What the public reads of a lot's tree, without anything that tells one supplier from another. */
export interface Totals {
  /** Null where nothing was declared, or where the tree is too large for a right sum. */
  readonly footprint: PublicFootprint | null;
  /** Part of its mass of known origin; null where that is unknown, or the tree too large. */
  readonly claimShare: number | null;
}

/** What all of a lot's tree adds up to. */
@Injectable()
export class TreeTotals {
  constructor(private readonly footprints: Footprints) {}

  async of(tx: TenantTx, tokenId: bigint): Promise<Totals> {
    try {
      const found = await this.footprints.of(tx, tokenId, WIDEST, null);
      return { footprint: totalsOf(found), claimShare: found.claimShare };
    } catch (error) {
      if (error instanceof DomainError && error.code === 'footprint_incomplete') return { footprint: null, claimShare: null };
      throw error;
    }
  }
}

function totalsOf({ indicators, method }: LotFootprint): PublicFootprint | null {
  const known = Object.entries(indicators).filter(([, { total }]) => total !== null);
  if (known.length === 0) return null;
  return {
    boundary: 'cradle_to_gate',
    standards: method.standards,
    indicators: Object.fromEntries(
      known.map(([name, { unit, perKg, perUnit, lowerBound, primaryDataShare, coverage }]) => [
        name,
        { unit, perKg, perUnit, lowerBound, primaryDataShare, coverage: coverage.mass },
      ]),
    ),
  };
}
