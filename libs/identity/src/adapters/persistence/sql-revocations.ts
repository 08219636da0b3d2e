import { Injectable } from '@nestjs/common';
import type { Tx } from '#persistence';
import { Revocations } from '../../ports.js';
import { PrincipalMemory } from '../http/principal-memory.js';

@Injectable()
export class SqlRevocations extends Revocations {
  constructor(private readonly memory: PrincipalMemory) {
    super();
  }

  override async record(tx: Tx, subjects: readonly string[]): Promise<void> {
    await tx.sql('insert into identity.revocation (subject) select unnest($1::text[])', [subjects]);
  }

  override forget(subjects: readonly string[]): void {
    this.memory.forget(subjects);
  }
}
