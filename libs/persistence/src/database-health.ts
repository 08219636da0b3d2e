import { EngineUnavailable } from '#kernel';
import type { DataSource } from 'typeorm';

const PATIENCE_MS = 2_000;

/** Whether the database answers, quickly enough for a health probe. */
export class DatabaseHealth {
  constructor(private readonly dataSource: DataSource) {}

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
