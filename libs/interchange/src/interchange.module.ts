import { readdir } from 'node:fs/promises';
import { FilesModule } from '#documents';
import { TraceabilityModule } from '#traceability';
import { Module, type Provider } from '@nestjs/common';
import { CaptureController } from './capture/capture.controller.js';
import { CapturedQueries } from './event-feed/captured.queries.js';
import { EpcisFormat } from './event-feed/epcis-format.dto.js';
import { ReadEventFeed } from './event-feed/read-event-feed.js';
import { CustodyFeedQueries, RecallFeedQueries } from './event-feed/transitions.queries.js';
import { Exporters, type Exporter } from './exports/dossier.js';
import { DossierQueries } from './exports/dossier.queries.js';
import { ExportLot, ReadDossier } from './exports/export-lot.js';
import { ExportsController } from './exports/exports.controller.js';
import { EpcisCaptureController } from './repository/capture-jobs.controller.js';
import { EpcisDiscoveryController, EpcisEventsController } from './repository/epcis-events.controller.js';
import { DefineQuery } from './repository/define-query.js';
import { FindEpcisEvents } from './repository/find-epcis-events.js';
import { EpcisQueriesController } from './repository/named-queries.controller.js';
import { NamedQueryQueries } from './repository/named-queries.queries.js';
import { FindMapping } from './imports/find-mapping.js';
import { ImportLists } from './imports/import-lists.dto.js';
import { ImportsController } from './imports/imports.controller.js';
import { ImportQueries } from './imports/imports.queries.js';
import { ImportMappingsController, ImportTemplatesController } from './imports/mappings.controller.js';
import { MappingQueries } from './imports/mappings.queries.js';
import { MarkImport } from './imports/mark-import.js';
import { ReadImport } from './imports/read-import.js';
import { StartImport } from './imports/start-import.js';
import { DeleteKeptEvent } from './repository/delete-kept-event.js';
import { CreateQuerySubscription } from './subscriptions/create-query-subscription.js';
import { FindQuerySubscription } from './subscriptions/find-query-subscription.js';
import { EpcisSubscriptionsController } from './subscriptions/query-subscriptions.controller.js';
import { QuerySubscriptionQueries } from './subscriptions/query-subscriptions.queries.js';
import { EventTables } from './tables/event-tables.dto.js';
import { captureProviders } from './interchange.worker.js';
import { StartCapture } from './repository/start-capture.js';
import { NamesController } from './vocabulary/names.controller.js';

/** Every file of `exports/exporters`: adding one is all it takes. */
async function loadExporters(): Promise<Exporters> {
  const folder = new URL('./exports/exporters/', import.meta.url);
  const files = (await readdir(folder)).filter((name) => name.endsWith('.js') && !name.endsWith('.spec.js'));
  const modules = await Promise.all(files.map((name) => import(new URL(name, folder).href) as Promise<{ exporter: Exporter }>));
  return new Exporters(modules.map(({ exporter }) => exporter));
}

/** The repository by EPCIS 2.0.1; what follows the chain for it is in `interchange.worker.ts`. */
const repositoryProviders: readonly Provider[] = [
  ...captureProviders,
  StartCapture,
  FindEpcisEvents,
  DeleteKeptEvent,
  DefineQuery,
  NamedQueryQueries,
  CreateQuerySubscription,
  FindQuerySubscription,
  QuerySubscriptionQueries,
];

const importProviders: readonly Provider[] = [FindMapping, ImportLists, ImportQueries, MappingQueries, MarkImport, ReadImport, StartImport];

@Module({
  imports: [TraceabilityModule, FilesModule],
  controllers: [
    CaptureController,
    ExportsController,
    NamesController,
    EpcisCaptureController,
    EpcisSubscriptionsController,
    EpcisQueriesController,
    EpcisEventsController,
    EpcisDiscoveryController,
    ImportsController,
    ImportMappingsController,
    ImportTemplatesController,
  ],
  providers: [
    ...repositoryProviders,
    CapturedQueries,
    CustodyFeedQueries,
    RecallFeedQueries,
    ReadEventFeed,
    EpcisFormat,
    EventTables,
    DossierQueries,
    ReadDossier,
    ExportLot,
    ...importProviders,
    { provide: Exporters, useFactory: loadExporters },
  ],
})
export class InterchangeModule {}
