import { type DynamicModule, Module, type Provider, type Type } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { JwtModule } from '@nestjs/jwt';
import { ContractDirectory } from '#chain';
import type { Config } from '#config';
import { BodyAdmission, CurrentRights, MemoryRateLimiter, RateLimiter, RateLimits, RedisRateLimiter } from '#http';
import { Clock } from '#kernel';
import { DatabaseClock } from '#persistence';
import { EstimateCalls, KeepAccountCalls, StorageQuota, TenantContract } from '#prepare';
import { PrincipalCache, RevocationsQueries } from './access/revocations.queries.js';
import { WatchRevocations } from './access/watch-revocations.js';
import { AccountsQueries } from './accounts/accounts.queries.js';
import { ChangeLanguage } from './accounts/change-language.js';
import { ChangePassword } from './accounts/change-password.js';
import { CreateUser } from './accounts/create-user.js';
import { LanguageController } from './accounts/language.controller.js';
import { PasswordController } from './accounts/password.controller.js';
import { PasswordHasher } from './accounts/passwords.client.js';
import { RequestPasswordReset } from './accounts/request-password-reset.js';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { ApiKeysQueries } from './api-keys/api-keys.queries.js';
import { ChangeApiKey } from './api-keys/change-api-key.js';
import { CreateApiKey } from './api-keys/create-api-key.js';
import { AuditController } from './audit/audit.controller.js';
import { AuditQueries } from './audit/audit.queries.js';
import { AuditLog, MemberMail, Parties, PasskeyAccounts, ProcessDirectory, Quotas, Tenants } from './contract.js';
import { AccessDeclarations, AccessGuard } from './guard/access.guard.js';
import { BearerClient } from './guard/bearer.client.js';
import { CheckRights } from './guard/rights.guard.js';
import { IdentifyPrincipal } from './guard/identify-principal.js';
import { PrincipalsQueries } from './guard/principals.queries.js';
import { IdentitySettings } from './identity.settings.js';
import { Mailer, mailerFor } from './mail/mailer.client.js';
import { MailsQueries } from './mail/mails.queries.js';
import { SendMail } from './mail/send-mail.js';
import { AcceptInvitation, InviteMember, JoinTenant, MailInvitation } from './members/invite-member.js';
import { ConfirmWallet } from './sign-in/confirm-wallet.js';
import { AddMember, ChangeMember } from './members/change-member.js';
import { InvitationsController, MemberWalletsController, MembersController } from './members/members.controller.js';
import { MembersQueries } from './members/members.queries.js';
import { PrepareGrants, ReplaceWallet } from './members/prepare-grants.js';
import { ReadMembers } from './members/read-members.js';
import { ChangeOrganisation, EditOrganisation } from './organisations/change-organisation.js';
import { CreateOrganisation } from './organisations/create-organisation.js';
import { OrganisationsController } from './organisations/organisations.controller.js';
import { OrganisationsQueries } from './organisations/organisations.queries.js';
import { AccountStateClient } from './passkey-accounts/account-state.client.js';
import { OpenOrganisationAccount, ReadOrganisationAccount } from './passkey-accounts/open-organisation-account.js';
import { OrganisationAccountController, OwnAccountController, RecoveryController } from './passkey-accounts/passkey-accounts.controller.js';
import { PrepareKey, ReadOwnAccount } from './passkey-accounts/prepare-key.js';
import { PrepareApprovals, PrepareOwner, ReadApprovals } from './passkey-accounts/prepare-organisation-account.js';
import { PrepareRecovery, RecoverMember } from './passkey-accounts/recover-member.js';
import { ReserveAccount } from './passkey-accounts/reserve-account.js';
import { AcceptWithPasskey } from './passkeys/accept-with-passkey.js';
import { AddPasskey, OwnPasskeys } from './passkeys/add-passkey.js';
import { DeletePasskey } from './passkeys/delete-passkey.js';
import { PasskeyInvitationsController, PasskeySignInController, PasskeysController } from './passkeys/passkeys.controller.js';
import { RelayAccountsQueries } from './passkeys/relay-accounts.queries.js';
import { AccountCallsQueries } from './passkeys/account-calls.queries.js';
import { OpenAccount } from './passkeys/open-account.js';
import { PasskeyAccountsQueries } from './passkeys/passkey-accounts.queries.js';
import { PasskeysQueries } from './passkeys/passkeys.queries.js';
import { RegisterPasskey } from './passkeys/register-passkey.js';
import { CheckPasskey, SignInWithPasskey } from './passkeys/sign-in-with-passkey.js';
import { WebauthnClient } from './passkeys/webauthn.client.js';
import { DescribeIdentity } from './sessions/describe-identity.js';
import { RevokeSessions, OwnSessions } from './sessions/revoke-sessions.js';
import { IssueTokens } from './sessions/issue-tokens.js';
import { LogOut } from './sessions/log-out.js';
import { OpenSession, SelectTenant } from './sessions/open-session.js';
import { RefreshSession } from './sessions/refresh-session.js';
import { SessionsQueries } from './sessions/sessions.queries.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { SigningKeys, TokensClient } from './sessions/tokens.client.js';
import { AuthController, IdentityController, KeysController, OwnWalletController, SiweController } from './sign-in/auth.controller.js';
import { CheckSignature } from './sign-in/check-signature.js';
import { LogIn } from './sign-in/log-in.js';
import { SignInWithEthereum } from './sign-in/sign-in-with-ethereum.js';
import { SiweNoncesQueries } from './sign-in/siwe-nonces.queries.js';
import { SiweClient } from './sign-in/siwe.client.js';
import { ChangeTenant } from './tenants/change-tenant.js';
import { CreateTenant, OpenTenant, PrepareContract } from './tenants/open-tenant.js';
import { QuotasQueries } from './tenants/quotas.queries.js';
import { RegistryClient } from './tenants/registry.client.js';
import { TenantContractsQueries, TenantsQueries } from './tenants/tenants.queries.js';
import { TenantsController, UsageController } from './tenants/tenants.controller.js';
import { BindWallet } from './wallets/bind-wallet.js';
import { ChainGrantsQueries } from './wallets/chain-grants.queries.js';
import { RecipientQueries } from './members/recipients.queries.js';
import { SendToMember } from './members/send-to-member.js';
import { CompareGrants } from './wallets/compare-grants.js';
import { WalletsProjector } from './wallets/wallets.projector.js';
import { WalletsQueries } from './wallets/wallets.queries.js';

/** Contracts with other contexts and engines, each with the class that implements it. */
const CONTRACTS: Provider[] = [
  { provide: Tenants, useExisting: TenantsQueries },
  { provide: TenantContract, useExisting: TenantsQueries },
  { provide: StorageQuota, useExisting: Quotas },
  { provide: Parties, useExisting: WalletsQueries },
  { provide: AuditLog, useExisting: AuditQueries },
  { provide: KeepAccountCalls, useExisting: AccountCallsQueries },
  { provide: PasskeyAccounts, useExisting: RelayAccountsQueries },
  { provide: ContractDirectory, useClass: TenantContractsQueries },
  { provide: CurrentRights, useClass: CheckRights },
  { provide: MemberMail, useClass: SendToMember },
  { provide: Mailer, useFactory: mailerFor, inject: [IdentitySettings, Clock] },
];
const QUERIES = [
  RevocationsQueries,
  AccountsQueries,
  AuditQueries,
  ChainGrantsQueries,
  WalletsQueries,
  OrganisationsQueries,
  MailsQueries,
  MembersQueries,
  TenantsQueries,
  ApiKeysQueries,
  SessionsQueries,
  PasskeysQueries,
  PasskeyAccountsQueries,
  AccountCallsQueries,
  RelayAccountsQueries,
  SiweNoncesQueries,
  PrincipalsQueries,
  RecipientQueries,
];
const CREDENTIALS = [
  PrincipalCache,
  WatchRevocations,
  PasswordHasher,
  SigningKeys,
  TokensClient,
  SiweClient,
  WebauthnClient,
  BearerClient,
  IdentifyPrincipal,
  AccessDeclarations,
];
const AUTHENTICATION = [
  CheckSignature,
  ConfirmWallet,
  IssueTokens,
  OpenSession,
  LogIn,
  SignInWithEthereum,
  SelectTenant,
  RefreshSession,
  LogOut,
  OwnSessions,
  RevokeSessions,
  ChangeLanguage,
  ChangePassword,
  DescribeIdentity,
  ReadOwnAccount,
];
const ACCOUNTS = [AccountStateClient, OpenOrganisationAccount, PrepareKey, PrepareOwner, ReadOrganisationAccount, ReserveAccount];
const PASSKEYS = [AcceptWithPasskey, AddPasskey, CheckPasskey, DeletePasskey, OpenAccount, OwnPasskeys, RegisterPasskey, SignInWithPasskey];
const USE_CASES = [
  AcceptInvitation,
  AddMember,
  BindWallet,
  ChangeApiKey,
  ChangeMember,
  ChangeOrganisation,
  ChangeTenant,
  CreateApiKey,
  CreateOrganisation,
  CreateTenant,
  CreateUser,
  EditOrganisation,
  InviteMember,
  JoinTenant,
  MailInvitation,
  RequestPasswordReset,
  SendMail,
];
/** What needs the chain and the published maps. */
const ADMINISTRATION = [
  CompareGrants,
  EstimateCalls,
  OpenTenant,
  PrepareApprovals,
  PrepareContract,
  PrepareGrants,
  PrepareRecovery,
  ReadApprovals,
  ReadMembers,
  RecoverMember,
  RegistryClient,
  ReplaceWallet,
];

const CONTROLLERS = [
  AuthController,
  IdentityController,
  SiweController,
  OwnWalletController,
  PasswordController,
  LanguageController,
  SessionsController,
  PasskeysController,
  PasskeySignInController,
  PasskeyInvitationsController,
  KeysController,
  UsageController,
];
const ADMINISTRATION_CONTROLLERS = [
  ApiKeysController,
  MembersController,
  MemberWalletsController,
  OrganisationAccountController,
  OrganisationsController,
  OwnAccountController,
  RecoveryController,
  TenantsController,
  AuditController,
  InvitationsController,
];

interface IdentityOptions {
  /** Default: the database's. */
  readonly clock?: Clock;
  /**
   * Adds the routes that administer tenants, members, organisations and keys. The class reads the processes of published maps; it belongs
   * to a context that identity does not know. They need the chain's `TransactionPreparer` and `Deployments`.
   */
  readonly processes?: Type<ProcessDirectory>;
}

/** Global: every context asks `Tenants` and `Parties`, and the access guard runs before every route. */
@Module({})
export class IdentityModule {
  /** Needs `PersistenceModule`. @param config with its secrets filled in */
  static forRoot(
    config: Pick<Config, 'mode' | 'tokens' | 'secrets' | 'chain' | 'siwe' | 'mail' | 'limits' | 'http' | 'queue'>,
    { clock, processes }: IdentityOptions = {},
  ): DynamicModule {
    const administration: Provider[] = processes ? [{ provide: ProcessDirectory, useClass: processes }, ...ADMINISTRATION] : [];
    return {
      module: IdentityModule,
      global: true,
      imports: [DiscoveryModule, JwtModule.register({})],
      controllers: processes ? [...CONTROLLERS, ...ADMINISTRATION_CONTROLLERS] : CONTROLLERS,
      providers: [
        ...settingsFor(config, clock),
        AccessGuard,
        { provide: APP_GUARD, useExisting: AccessGuard },
        { provide: BodyAdmission, useExisting: AccessGuard },
        WalletsProjector,
        ...CONTRACTS,
        ...QUERIES,
        ...CREDENTIALS,
        ...AUTHENTICATION,
        ...PASSKEYS,
        ...ACCOUNTS,
        ...USE_CASES,
        ...administration,
      ],
      exports: [
        ...[
          Clock,
          RateLimits,
          RateLimiter,
          CurrentRights,
          Tenants,
          TenantContract,
          Parties,
          AuditLog,
          MemberMail,
          KeepAccountCalls,
          PasskeyAccounts,
          Quotas,
          StorageQuota,
          ContractDirectory,
          WalletsProjector,
        ],
        ...USE_CASES,
        TenantsQueries,
        ...(processes ? ADMINISTRATION : []),
      ],
    };
  }
}

const settingsFor = (config: Parameters<typeof IdentityModule.forRoot>[0], clock: Clock | undefined): Provider[] => [
  { provide: IdentitySettings, useValue: new IdentitySettings(config) },
  clock ? { provide: Clock, useValue: clock } : { provide: Clock, useExisting: DatabaseClock },
  {
    provide: RateLimiter,
    useFactory: () => (config.queue.kind === 'redis' ? new RedisRateLimiter(config.queue.url) : new MemoryRateLimiter()),
  },
  { provide: RateLimits, useFactory: (limiter: RateLimiter) => new RateLimits(limiter, config.limits), inject: [RateLimiter] },
  { provide: Quotas, useFactory: (own: Clock) => new QuotasQueries(config.limits.tiers, own), inject: [Clock] },
];
