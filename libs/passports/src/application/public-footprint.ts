import { Footprints, type LotFootprint } from '#traceability';
import { Injectable } from '@nestjs/common';
import { DomainError } from '#kernel';
import type { TenantTx } from '#persistence';
import type { PublicFootprint } from '../domain/passport.js';

/** The widest walk (api-decisions §4): a part of a tree would be a wrong sum. */
export const WIDEST = { maxDepth: 200, maxNodes: 20_000 };

/** The totals of a lot's footprint, without anything that tells one supplier from another. */
@Injectable()
export class TotalFootprint {
  constructor(private readonly footprints: Footprints) {}

  /** Null where nothing was declared, or where the tree is too large for a right sum. */
  async of(tx: TenantTx, tokenId: bigint): Promise<PublicFootprint | null> {
    try {
      return totalsOf(await this.footprints.of(tx, tokenId, WIDEST, null));
    } catch (error) {
      if (error instanceof DomainError && error.code === 'footprint_incomplete') return null;
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
