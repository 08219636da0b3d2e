import type { ModuleRef } from '@nestjs/core';
import { Indexer } from '#chain';

/** The indexer of this process; one with ROLE=api has none, which the container tells by throwing. */
export function indexerOf(modules: ModuleRef): Indexer | null {
  try {
    return modules.get(Indexer, { strict: false });
  } catch {
    return null;
  }
}
