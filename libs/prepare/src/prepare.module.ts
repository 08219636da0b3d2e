import { Module } from '@nestjs/common';
import { DraftNote, EstimateCalls, PrepareCall } from './prepare-call.js';

/** Needs the engines, and `TenantContract` and `StorageQuota` from a global module. */
@Module({ providers: [DraftNote, EstimateCalls, PrepareCall], exports: [PrepareCall] })
export class PrepareModule {}
