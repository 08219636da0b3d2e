import { setTimeout as wait } from 'node:timers/promises';
import type { TenantScope } from '#kernel';
import type { UnitOfWork } from '../unit-of-work/unit-of-work.js';
import type { FoundCopies } from './blank-copies.js';
import type { CopyRule, SentRows } from './copy-rule.js';

const POLL_MS = 50;

/** Copies that a process had read before they were blanked, and is sending. */
export class CopiesUnderWay {
  constructor(
    private readonly work: UnitOfWork,
    private readonly rules: readonly CopyRule[],
  ) {}

  /** Resolves when none of them is under way any more. @param blanked in transactions that are committed */
  async ended(scope: TenantScope, blanked: readonly FoundCopies[]): Promise<void> {
    for (const rule of this.rules) {
      if (!('key' in rule) || !rule.sent) continue;
      const ids = blanked.flatMap(({ table, sent }) => (table === rule.table ? sent : []));
      if (ids.length > 0) await this.endOf(scope, rule.sent, ids);
    }
  }

  private async endOf(scope: TenantScope, { barrier, underWay }: SentRows, rows: readonly string[]): Promise<void> {
    await this.work.inTransaction(scope, (tx) => tx.sql(barrier));
    const read = async (): Promise<string[]> => {
      const found = await this.work.read(scope, (tx) => tx.sql<{ id: string }>(underWay, [scope.tenantId, rows]));
      return found.map(({ id }) => id);
    };
    // What is sent again later is read again first.
    for (let left = await read(); left.length > 0;) {
      await wait(POLL_MS);
      const now = new Set(await read());
      left = left.filter((id) => now.has(id));
    }
  }
}
