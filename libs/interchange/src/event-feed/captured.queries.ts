import type { TenantTx } from '#persistence';
import { Injectable } from '@nestjs/common';
import type { Json } from '../epcis/json.js';

/** Events that came as EPCIS. */
@Injectable()
export class CapturedQueries {
  /** As they came, by their id here, readable without their document: each has the contexts that it had there. */
  async events(tx: TenantTx, eventIds: readonly string[]): Promise<ReadonlyMap<string, Json>> {
    if (eventIds.length === 0) return new Map();
    const rows = await tx.sql<{ readonly id: string; readonly event: string; readonly contextHash: string | null }>(
      `select event_id as id, event, context_hash as "contextHash" from interchange.captured_event
       where tenant_id = $1 and event_id = any($2::uuid[])`,
      [tx.tenantId, eventIds],
    );
    const contexts = await this.contexts(tx, [...new Set(rows.flatMap(({ contextHash }) => contextHash ?? []))]);
    return new Map(
      rows.map(({ id, event, contextHash }) => [id, withContexts(JSON.parse(event) as Json, contexts.get(contextHash ?? '') ?? [])]),
    );
  }

  /** Each once, however many events have it. */
  private async contexts(tx: TenantTx, hashes: readonly string[]): Promise<ReadonlyMap<string, readonly unknown[]>> {
    if (hashes.length === 0) return new Map();
    const rows = await tx.sql<{ readonly hash: string; readonly contexts: string }>(
      'select hash, contexts from interchange.captured_context where tenant_id = $1 and hash = any($2::text[])',
      [tx.tenantId, hashes],
    );
    return new Map(rows.map(({ hash, contexts }) => [hash, JSON.parse(contexts) as unknown[]]));
  }
}

/** An event as it came, with the contexts that its document had. */
export function withContexts(event: Json, ofDocument: readonly unknown[]): Json {
  const own = event['@context'];
  const contexts = own === undefined ? ofDocument : [...ofDocument, ...(Array.isArray(own) ? (own as unknown[]) : [own])];
  return contexts.length === 0 ? event : { ...event, '@context': contexts };
}
