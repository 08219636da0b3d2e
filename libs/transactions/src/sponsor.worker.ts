import { type DynamicModule, Module } from '@nestjs/common';
import type { SponsorConfig } from '#config';
import { TraceabilityModule } from '#traceability';
import { LocalSigner } from './signing/local-signer.client.js';
import { Pkcs11Signer } from './signing/pkcs11-signer.client.js';
import { SponsorSigner } from './signing/sponsor-signer.js';
import { ResendTransactions } from './sponsor/resend-transactions.js';
import { RunSponsor } from './sponsor/run-sponsor.js';
import { SendRelays } from './sponsor/send-relays.js';
import { SponsorTransactionsQueries } from './sponsor/sponsor-transactions.queries.js';
import { SponsorClient } from './sponsor/sponsor.client.js';
import { StorePlan } from './sponsor/store-plan.js';
import { WithdrawRelay } from './sponsor/withdraw-relay.js';
import { SponsorLoop } from './sponsor/sponsor.job.js';
import { SponsorSettings } from './sponsor/sponsor.settings.js';
import { TransactionsModule } from './transactions.module.js';
import { PublishOutcome } from './watching/publish-outcome.js';

/** The role that sends and pays. */
@Module({})
export class SponsorWorkerModule {
  static forRoot({ signer, replaceAfterMs }: SponsorConfig, pollMs: number): DynamicModule {
    const provided = signerOf(signer);
    if (!provided) return { module: SponsorWorkerModule };
    return {
      module: SponsorWorkerModule,
      imports: [TraceabilityModule, TransactionsModule],
      providers: [
        { provide: SponsorSigner, useValue: provided },
        { provide: SponsorSettings, useValue: new SponsorSettings(pollMs, replaceAfterMs) },
        ...[
          PublishOutcome,
          ResendTransactions,
          RunSponsor,
          SendRelays,
          SponsorClient,
          SponsorTransactionsQueries,
          StorePlan,
          WithdrawRelay,
        ],
        SponsorLoop,
      ],
    };
  }
}

/** Null where the sponsor has no key: nothing is relayed. */
export function signerOf(signer: SponsorConfig['signer']): SponsorSigner | null {
  if (signer.kind === 'local') return new LocalSigner(signer.key);
  return signer.kind === 'pkcs11' ? new Pkcs11Signer(signer) : null;
}
