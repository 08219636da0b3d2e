import type { Provider } from '@nestjs/common';
import { RpcChainEvidence } from './adapters/chain/rpc-chain-evidence.js';
import { SqlPointers } from './adapters/persistence/sql-pointers.js';
import { PointerPatrol } from './adapters/queue/pointer-patrol.js';
import { CheckPointers } from './application/check-pointers.js';
import { SweepPointers } from './application/sweep-pointers.js';
import { ChainEvidence, Pointers } from './pointers.ports.js';

/** To read what was found, and to check it anew. */
export const pointerProviders: readonly Provider[] = [
  CheckPointers,
  { provide: Pointers, useClass: SqlPointers },
  { provide: ChainEvidence, useClass: RpcChainEvidence },
];

/** To check everything, lap after lap. */
export const pointerWorkerProviders: readonly Provider[] = [...pointerProviders, SweepPointers, PointerPatrol];
