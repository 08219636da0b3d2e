import type { Provider } from '@nestjs/common';
import { RpcBlockEvidence } from './adapters/chain/rpc-block-evidence.js';
import { RpcReceipts } from './adapters/chain/rpc-receipts.js';
import { SqlLineages } from './adapters/persistence/sql-lineages.js';
import { SqlPassportSettings } from './adapters/persistence/sql-passport-settings.js';
import { SqlPassports } from './adapters/persistence/sql-passports.js';
import { SqlPublicFacts } from './adapters/persistence/sql-public-facts.js';
import { ComposePassport } from './application/compose-passport.js';
import { MakeBundle } from './application/make-bundle.js';
import { TreeTotals } from './application/tree-totals.js';
import { BlockEvidence, Lineages, PassportSettings, Passports, PublicFacts, Receipts } from './ports.js';

/** What the API and the worker both stand on. */
export const commonProviders: Provider[] = [
  { provide: Passports, useClass: SqlPassports },
  { provide: PassportSettings, useClass: SqlPassportSettings },
  { provide: PublicFacts, useClass: SqlPublicFacts },
  { provide: Receipts, useClass: RpcReceipts },
  TreeTotals,
  ComposePassport,
];

/** What makes evidence files. */
export const evidenceProviders: Provider[] = [
  { provide: BlockEvidence, useClass: RpcBlockEvidence },
  { provide: Lineages, useClass: SqlLineages },
  MakeBundle,
];
