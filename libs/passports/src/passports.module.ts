import { TraceabilityModule } from '#traceability';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { PassportVersionsController } from './archive/versions.controller.js';
import { VersionsQueries } from './archive/versions.queries.js';
import { ArchiveChangesJob } from './composing/archive-changes.job.js';
import { ChangedPassportsQueries } from './composing/changed-passports.queries.js';
import { ComposePassport, ReadPassportInputs } from './composing/compose-passport.js';
import { PreviewController } from './composing/preview.controller.js';
import { PublicFactsQueries } from './composing/public-facts.queries.js';
import { PublishVersion } from './composing/publish-version.js';
import { DppIdsQueries } from './dpp/dpp-ids.queries.js';
import { CreateDpp } from './dpp/create-dpp.js';
import { DppController } from './dpp/dpp.controller.js';
import { DppWritesController } from './dpp/dpp-writes.controller.js';
import { UpdateDpp } from './dpp/update-dpp.js';
import { WriteTargetsQueries } from './dpp/write-targets.queries.js';
import { ReadDpp } from './dpp/read-dpp.js';
import { CheckEvidenceJob } from './evidence/check-evidence.job.js';
import { CheckEvidence } from './evidence/check-evidence.js';
import { EvidenceClient } from './evidence/evidence.client.js';
import { EvidenceController } from './evidence/evidence.controller.js';
import { EvidenceQueries } from './evidence/evidence.queries.js';
import { IssueEvidenceLink, LinkSigner } from './evidence/issue-evidence-link.js';
import { MakeBundle } from './evidence/make-bundle.js';
import { BackUpQueries, MakeBackUp } from './backup/make-back-up.js';
import { ExportPassports } from './export/export-passports.job.js';
import { ChangeGrants } from './grants/change-grants.js';
import { GrantedPassportController } from './grants/granted.controller.js';
import { PassportGrantsController } from './grants/grants.controller.js';
import { GrantsQueries } from './grants/grants.queries.js';
import { OpenGrant } from './grants/open-grant.js';
import { IssueBacklogJob } from './issuing/issue-backlog.job.js';
import { IssuePassportsJob } from './issuing/issue-passports.job.js';
import { IssuePassports } from './issuing/issue-passports.js';
import { PassportsController } from './issuing/passports.controller.js';
import { PassportsQueries } from './issuing/passports.queries.js';
import { PublicPassportsQueries } from './issuing/public-passports.queries.js';
import { ReadPassports } from './issuing/read-passports.js';
import { WithdrawPassport } from './issuing/withdraw-passport.js';
import { LabelController } from './label/label.controller.js';
import { ChangeLinks } from './links/change-links.js';
import { LinksController } from './links/links.controller.js';
import { LinksQueries } from './links/links.queries.js';
import { FindPassport } from './public/find-passport.js';
import { PublicPassportController } from './public/public-passport.controller.js';
import { ShowPassport } from './public/show-passport.js';
import { ChangeRegistry, RegistryUrls } from './registry/change-registry.js';
import { RegistryController } from './registry/registry.controller.js';
import { RegistryQueries } from './registry/registry.queries.js';
import { RegisterPassportsJob, SendRegistrationsJob } from './registry/send-registrations.job.js';
import { SendRegistrations } from './registry/send-registrations.js';
import { SettleBatch } from './registry/settle-batch.js';
import { ResolveLink } from './resolver/resolve-link.js';
import { ResolverController } from './resolver/resolver.controller.js';
import { ResolverQueries } from './resolver/resolver.queries.js';
import { ChangeSettings } from './settings/change-settings.js';
import { SettingsController } from './settings/settings.controller.js';
import { SettingsQueries } from './settings/settings.queries.js';

/** What finds passports and makes their content. */
const commonProviders = [
  PassportsQueries,
  PublicPassportsQueries,
  SettingsQueries,
  PublicFactsQueries,
  ReadPassportInputs,
  VersionsQueries,
  PublishVersion,
  ComposePassport,
];

/** What makes evidence files. */
const evidenceProviders = [EvidenceClient, EvidenceQueries, MakeBundle];

interface PassportsOptions {
  /** Of the service; links that open evidence are signed with a key derived from it. */
  readonly encryptionKey: Buffer;
  /** Links of its own that a tenant may have. */
  readonly linksPerTenant: number;
  /** Whether registries may have addresses without TLS. */
  readonly plainHttpRegistries: boolean;
}

const controllers: Type[] = [
  PublicPassportController,
  DppController,
  DppWritesController,
  EvidenceController,
  LabelController,
  SettingsController,
  PassportsController,
  PassportVersionsController,
  PassportGrantsController,
  GrantedPassportController,
  PreviewController,
  LinksController,
  ResolverController,
  RegistryController,
];

@Module({})
export class PassportsModule {
  static forRoot({ encryptionKey, linksPerTenant, plainHttpRegistries }: PassportsOptions): DynamicModule {
    return {
      module: PassportsModule,
      imports: [TraceabilityModule],
      controllers,
      providers: [
        ...commonProviders,
        ...evidenceProviders,
        { provide: LinkSigner, useValue: new LinkSigner(encryptionKey) },
        IssueEvidenceLink,
        ReadPassports,
        FindPassport,
        ShowPassport,
        GrantsQueries,
        ChangeGrants,
        OpenGrant,
        DppIdsQueries,
        ReadDpp,
        WriteTargetsQueries,
        CreateDpp,
        UpdateDpp,
        ChangeSettings,
        WithdrawPassport,
        IssuePassports,
        { provide: LinksQueries, useValue: new LinksQueries(linksPerTenant) },
        ChangeLinks,
        ResolverQueries,
        ResolveLink,
        RegistryQueries,
        { provide: RegistryUrls, useValue: new RegistryUrls(plainHttpRegistries) },
        ChangeRegistry,
        SettleBatch,
      ],
    };
  }
}

/** For a command: passports as files. */
@Module({
  imports: [TraceabilityModule],
  providers: [...commonProviders, ...evidenceProviders, ExportPassports, BackUpQueries, MakeBackUp],
  exports: [ExportPassports, MakeBackUp],
})
export class PassportsExportModule {}

/** The worker's side: passports are issued and archived, and their evidence is checked. Any number of processes may run it. */
@Module({
  imports: [TraceabilityModule],
  providers: [
    ...commonProviders,
    ChangedPassportsQueries,
    ArchiveChangesJob,
    EvidenceClient,
    EvidenceQueries,
    IssuePassports,
    IssuePassportsJob,
    IssueBacklogJob,
    CheckEvidence,
    CheckEvidenceJob,
    RegistryQueries,
    SendRegistrations,
    SendRegistrationsJob,
    RegisterPassportsJob,
  ],
})
export class PassportsWorkerModule {}
