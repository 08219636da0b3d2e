import { TraceabilityModule } from '#traceability';
import { Module } from '@nestjs/common';
import { HtmlPages } from './adapters/render/html-pages.js';
import { ExportPassports } from './application/export-passports.js';
import { PassportPages } from './ports.js';
import { commonProviders, evidenceProviders } from './passports.wiring.js';

/** For a command: passports as files. */
@Module({
  imports: [TraceabilityModule],
  providers: [...commonProviders, ...evidenceProviders, { provide: PassportPages, useClass: HtmlPages }, ExportPassports],
  exports: [ExportPassports],
})
export class PassportsExportModule {}
