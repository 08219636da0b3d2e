import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { AuditTrail, ChainGrants, Invitations, RegistryCalls } from './administration.ports.js';
import { RpcRegistryCalls } from './adapters/chain/rpc-registry-calls.js';
import { ApiKeysController } from './adapters/http/api-keys.controller.js';
import { AuditController, InvitationsController } from './adapters/http/audit.controller.js';
import { MembersController } from './adapters/http/members.controller.js';
import { OrganisationsController } from './adapters/http/organisations.controller.js';
import { TenantsController } from './adapters/http/tenants.controller.js';
import { AdministrationQueries } from './adapters/persistence/administration-queries.js';
import { SqlAuditTrail } from './adapters/persistence/sql-audit.js';
import { SqlChainGrants } from './adapters/persistence/sql-chain-grants.js';
import { SqlInvitations } from './adapters/persistence/sql-invitations.js';
import { ChangeApiKey } from './application/change-api-key.js';
import { ChangeMember } from './application/change-member.js';
import { ChangeTier } from './application/change-tier.js';
import { ChangeOrganisation } from './application/change-organisation.js';
import { InviteMember } from './application/invite-member.js';
import { OpenTenant } from './application/open-tenant.js';
import { PrepareGrants } from './application/prepare-grants.js';
import { ReplaceWallet } from './application/replace-wallet.js';
import { SuspendTenant } from './application/suspend-tenant.js';
import { ProcessDirectory } from './contract.js';

const USE_CASES = [
  ChangeApiKey,
  InviteMember,
  ChangeMember,
  PrepareGrants,
  ReplaceWallet,
  ChangeOrganisation,
  OpenTenant,
  SuspendTenant,
  ChangeTier,
];

/** Administration of tenants and of their members, organisations and keys. Needs `IdentityModule` and the chain's `TransactionPreparer` and `Deployments`. */
@Module({})
export class AdministrationModule {
  /** @param processes how the processes of published maps are read: the class of a context that identity does not know */
  static forRoot(processes: Type<ProcessDirectory>): DynamicModule {
    return {
      module: AdministrationModule,
      controllers: [
        ApiKeysController,
        MembersController,
        OrganisationsController,
        TenantsController,
        AuditController,
        InvitationsController,
      ],
      providers: [
        { provide: ProcessDirectory, useClass: processes },
        { provide: ChainGrants, useClass: SqlChainGrants },
        { provide: Invitations, useClass: SqlInvitations },
        { provide: AuditTrail, useClass: SqlAuditTrail },
        { provide: RegistryCalls, useClass: RpcRegistryCalls },
        AdministrationQueries,
        ...USE_CASES,
      ],
      exports: [AdministrationQueries, ...USE_CASES],
    };
  }
}
