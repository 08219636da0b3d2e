import { TraceabilityModule } from '#traceability';
import { Module } from '@nestjs/common';
import { PassportPatrol } from './adapters/queue/passport-patrol.js';
import { CheckEvidence } from './application/check-evidence.js';
import { IssuePassports } from './application/issue-passports.js';
import { commonProviders } from './passports.wiring.js';

/** The worker's side: passports are issued and their evidence looked at. Any number of processes may run it. */
@Module({ imports: [TraceabilityModule], providers: [...commonProviders, IssuePassports, CheckEvidence, PassportPatrol] })
export class PassportsWorkerModule {}
