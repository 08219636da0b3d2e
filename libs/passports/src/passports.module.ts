import { TraceabilityModule } from '#traceability';
import { Module } from '@nestjs/common';
import { PassportsController } from './adapters/http/passports.controller.js';
import { PublicPassportController } from './adapters/http/public.controller.js';
import { ChangeSettings } from './application/change-settings.js';
import { IssueOne } from './application/issue-one.js';
import { ShowPassport } from './application/show-passport.js';
import { WithdrawPassport } from './application/withdraw-passport.js';
import { commonProviders } from './passports.wiring.js';

@Module({
  imports: [TraceabilityModule],
  controllers: [PublicPassportController, PassportsController],
  providers: [...commonProviders, ShowPassport, ChangeSettings, WithdrawPassport, IssueOne],
})
export class PassportsModule {}
