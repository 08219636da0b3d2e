import { TraceabilityModule } from '#traceability';
import { type DynamicModule, Module } from '@nestjs/common';
import { EvidenceController } from './adapters/http/evidence.controller.js';
import { LabelController } from './adapters/http/label.controller.js';
import { PassportsController } from './adapters/http/passports.controller.js';
import { PublicPassportController } from './adapters/http/public.controller.js';
import { BundleLinks } from './application/bundle-links.js';
import { ChangeSettings } from './application/change-settings.js';
import { IssueOne } from './application/issue-one.js';
import { ShowPassport } from './application/show-passport.js';
import { WithdrawPassport } from './application/withdraw-passport.js';
import { commonProviders, evidenceProviders } from './passports.wiring.js';

@Module({})
export class PassportsModule {
  /** @param encryptionKey of the service; links that open evidence are signed with a key derived from it */
  static forRoot({ encryptionKey }: { readonly encryptionKey: Buffer }): DynamicModule {
    return {
      module: PassportsModule,
      imports: [TraceabilityModule],
      controllers: [PublicPassportController, EvidenceController, LabelController, PassportsController],
      providers: [
        ...commonProviders,
        { provide: BundleLinks, useValue: new BundleLinks(encryptionKey) },
        ...evidenceProviders,
        ShowPassport,
        ChangeSettings,
        WithdrawPassport,
        IssueOne,
      ],
    };
  }
}
