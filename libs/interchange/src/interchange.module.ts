import { readdir } from 'node:fs/promises';
import { TraceabilityModule } from '#traceability';
import { Module } from '@nestjs/common';
import { CaptureDocument, MapEvents, ReserveEvents } from './capture/capture-document.js';
import { CaptureController } from './capture/capture.controller.js';
import { CaptureQueries } from './capture/capture.queries.js';
import { VoidDeclaredEvents } from './capture/void-declared-events.js';
import { CapturedQueries } from './event-feed/captured.queries.js';
import { EpcisFormat } from './event-feed/epcis-format.dto.js';
import { ReadEventFeed } from './event-feed/read-event-feed.js';
import { CustodyFeedQueries, RecallFeedQueries } from './event-feed/transitions.queries.js';
import { Exporters, type Exporter } from './exports/dossier.js';
import { DossierQueries } from './exports/dossier.queries.js';
import { ExportLot, ReadDossier } from './exports/export-lot.js';
import { ExportsController } from './exports/exports.controller.js';
import { NamesController } from './vocabulary/names.controller.js';

/** Every file of `exports/exporters`: adding one is all it takes. */
async function loadExporters(): Promise<Exporters> {
  const folder = new URL('./exports/exporters/', import.meta.url);
  const files = (await readdir(folder)).filter((name) => name.endsWith('.js') && !name.endsWith('.spec.js'));
  const modules = await Promise.all(files.map((name) => import(new URL(name, folder).href) as Promise<{ exporter: Exporter }>));
  return new Exporters(modules.map(({ exporter }) => exporter));
}

@Module({
  imports: [TraceabilityModule],
  controllers: [CaptureController, ExportsController, NamesController],
  providers: [
    CaptureDocument,
    CaptureQueries,
    MapEvents,
    ReserveEvents,
    VoidDeclaredEvents,
    CapturedQueries,
    CustodyFeedQueries,
    RecallFeedQueries,
    ReadEventFeed,
    EpcisFormat,
    DossierQueries,
    ReadDossier,
    ExportLot,
    { provide: Exporters, useFactory: loadExporters },
  ],
})
export class InterchangeModule {}
