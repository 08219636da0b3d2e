import { Injectable } from '@nestjs/common';
import { type AlertSource, AlertSources, type SourceName } from '../../alerts.ports.js';
import { ClaimBalanceSource } from './claim-balance-source.js';
import { DocumentSource } from './document-source.js';
import { EventSource } from './event-source.js';
import { FootprintSource } from './footprint-source.js';
import { LotSource } from './lot-source.js';
import { PointerSource } from './pointer-source.js';
import { OfferSource, PreparedSource, SubscriptionSource, TransactionSource } from './standing-sources.js';
import { YieldSource } from './yield-source.js';

const TYPES = {
  lot: LotSource,
  // Events before documents: they say which documents run out.
  event: EventSource,
  yields: YieldSource,
  claims: ClaimBalanceSource,
  offer: OfferSource,
  transaction: TransactionSource,
  prepared: PreparedSource,
  document: DocumentSource,
  pointer: PointerSource,
  footprint: FootprintSource,
  subscription: SubscriptionSource,
} as const satisfies Readonly<Record<SourceName, new (...asked: never[]) => AlertSource>>;

export const alertSources = Object.values(TYPES);

@Injectable()
export class ListedAlertSources extends AlertSources {
  override readonly names = Object.keys(TYPES) as SourceName[];
  private readonly sources: Readonly<Record<SourceName, AlertSource>>;

  constructor(
    lot: LotSource,
    event: EventSource,
    yields: YieldSource,
    claims: ClaimBalanceSource,
    offer: OfferSource,
    transaction: TransactionSource,
    prepared: PreparedSource,
    document: DocumentSource,
    pointer: PointerSource,
    footprint: FootprintSource,
    subscription: SubscriptionSource,
  ) {
    super();
    this.sources = { lot, event, yields, claims, offer, transaction, prepared, document, pointer, footprint, subscription };
  }

  override of(name: SourceName): AlertSource {
    return this.sources[name];
  }
}
