import type { Provider } from '@nestjs/common';
import { RpcReceipts } from './adapters/chain/rpc-receipts.js';
import { SqlPassportSettings } from './adapters/persistence/sql-passport-settings.js';
import { SqlPassports } from './adapters/persistence/sql-passports.js';
import { SqlPublicFacts } from './adapters/persistence/sql-public-facts.js';
import { ComposePassport } from './application/compose-passport.js';
import { TotalFootprint } from './application/public-footprint.js';
import { PassportSettings, Passports, PublicFacts, Receipts } from './ports.js';

/** What the API and the worker both stand on. */
export const commonProviders: Provider[] = [
  { provide: Passports, useClass: SqlPassports },
  { provide: PassportSettings, useClass: SqlPassportSettings },
  { provide: PublicFacts, useClass: SqlPublicFacts },
  { provide: Receipts, useClass: RpcReceipts },
  TotalFootprint,
  ComposePassport,
];
