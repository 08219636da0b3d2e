import { EngineUnavailable } from '#kernel';
import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';

const PATIENCE_MS = 2_000;

export interface PoolUse {
  /** Connections at most, open, and open without work. */
  readonly size: number;
  readonly open: number;
  readonly idle: number;
  /** Transactions that wait for a connection. */
  readonly waiting: number;
}

export function poolUse(dataSource: DataSource): PoolUse {
  const { options, totalCount, idleCount, waitingCount } = (dataSource.driver as PostgresDriver).master as Pool;
  return { size: options.max, open: totalCount, idle: idleCount, waiting: waitingCount };
}

/** Whether the database answers, quickly enough for a health probe. */
export class DatabaseHealth {
  constructor(private readonly dataSource: DataSource) {}

  get pool(): PoolUse {
    return poolUse(this.dataSource);
  }

  /** @throws EngineUnavailable('database') when it refuses or stays silent for two seconds */
  async check(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${PATIENCE_MS} ms`)), PATIENCE_MS);
    });
    try {
      await Promise.race([this.dataSource.query('select 1'), silence]);
    } catch (error) {
      throw new EngineUnavailable('database', error);
    } finally {
      clearTimeout(timer);
    }
  }
}
