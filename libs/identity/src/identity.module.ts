import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { JwtModule } from '@nestjs/jwt';
import type { Config } from '#config';
import { ContractDirectory } from '#chain';
import { MemoryRateLimiter, RateLimiter, RateLimits, RedisRateLimiter } from '#http';
import { Clock, SystemClock } from '#kernel';
import { IdentityLogHandler } from './adapters/chain/identity-log-handler.js';
import { TenantContracts } from './adapters/chain/tenant-contracts.js';
import { AccessGuard } from './adapters/http/access-guard.js';
import { AuthController } from './adapters/http/auth.controller.js';
import { KeysController } from './adapters/http/keys.controller.js';
import { PrincipalMemory } from './adapters/http/principal-memory.js';
import { PasswordController } from './adapters/http/password.controller.js';
import { SiweController } from './adapters/http/siwe.controller.js';
import { RoutesSayAccess } from './adapters/http/routes-say-access.js';
import { ConsoleMailer, UnsentMailer } from './adapters/outbound/console-mailer.js';
import { SmtpMailer } from './adapters/outbound/smtp-mailer.js';
import { CachedTenants } from './adapters/persistence/cached-tenants.js';
import { KeyUse } from './adapters/persistence/key-use.js';
import { RevocationWatch } from './adapters/persistence/revocation-watch.js';
import { SqlAccounts } from './adapters/persistence/sql-accounts.js';
import { SqlAuditLog } from './adapters/persistence/sql-audit.js';
import { SqlParties } from './adapters/persistence/sql-parties.js';
import { SqlPrincipals } from './adapters/persistence/sql-principals.js';
import { SqlRevocations } from './adapters/persistence/sql-revocations.js';
import { SqlPasswordResets } from './adapters/persistence/sql-password-resets.js';
import { SqlSiweNonces } from './adapters/persistence/sql-siwe-nonces.js';
import { SignedMessages } from './adapters/siwe/signed-messages.js';
import { Argon2Passwords } from './adapters/tokens/argon2-passwords.js';
import { BearerTokens } from './adapters/tokens/bearer-tokens.js';
import { JwtAccessTokens } from './adapters/tokens/jwt-access-tokens.js';
import { MacRefreshTokens } from './adapters/tokens/mac-refresh-tokens.js';
import { SigningKeys } from './adapters/tokens/signing-keys.js';
import { AddMember } from './application/add-member.js';
import { BindWallet } from './application/bind-wallet.js';
import { ChangePassword } from './application/change-password.js';
import { ForgetPassword } from './application/forget-password.js';
import { CreateApiKey } from './application/create-api-key.js';
import { CreateOrganisation } from './application/create-organisation.js';
import { CreateTenant } from './application/create-tenant.js';
import { CreateUser } from './application/create-user.js';
import { DescribeIdentity } from './application/describe-identity.js';
import { IssueTokens } from './application/issue-tokens.js';
import { LogIn } from './application/log-in.js';
import { LogOut } from './application/log-out.js';
import { RefreshSession } from './application/refresh-session.js';
import { SignInWithEthereum } from './application/sign-in-with-ethereum.js';
import { SelectTenant } from './application/select-tenant.js';
import { UsageController } from './adapters/http/usage.controller.js';
import { SqlQuotas } from './adapters/persistence/sql-quotas.js';
import { AuditLog, Parties, Quotas, Tenants } from './contract.js';
import {
  AccessTokens,
  Accounts,
  Mailer,
  PasswordHasher,
  PasswordResets,
  Principals,
  RefreshTokens,
  Revocations,
  SiweMessages,
  SiweNonces,
} from './ports.js';
import { IdentitySettings } from './settings.js';

const ADMINISTRATION = [CreateTenant, CreateUser, CreateOrganisation, BindWallet, AddMember, CreateApiKey];
const AUTHENTICATION = [
  IssueTokens,
  LogIn,
  SignInWithEthereum,
  SelectTenant,
  RefreshSession,
  LogOut,
  ChangePassword,
  ForgetPassword,
  DescribeIdentity,
];
/** What the administration's module takes from here. */
const FOR_ADMINISTRATION = [IdentitySettings, Revocations, PasswordHasher, ForgetPassword];
const ADAPTERS = [
  { provide: Tenants, useClass: CachedTenants },
  { provide: Parties, useClass: SqlParties },
  { provide: ContractDirectory, useClass: TenantContracts },
  { provide: Accounts, useClass: SqlAccounts },
  { provide: Principals, useClass: SqlPrincipals },
  { provide: PasswordHasher, useClass: Argon2Passwords },
  { provide: AccessTokens, useClass: JwtAccessTokens },
  { provide: RefreshTokens, useClass: MacRefreshTokens },
  { provide: PasswordResets, useClass: SqlPasswordResets },
  { provide: Mailer, useFactory: mailerFor, inject: [IdentitySettings, Clock] },
  { provide: SiweMessages, useClass: SignedMessages },
  { provide: SiweNonces, useClass: SqlSiweNonces },
  { provide: Revocations, useClass: SqlRevocations },
  { provide: AuditLog, useClass: SqlAuditLog },
];

function mailerFor({ mail: { transport } }: IdentitySettings, clock: Clock): Mailer {
  if (transport.kind === 'smtp') return new SmtpMailer(transport.url, transport.from, clock);
  return transport.kind === 'console' ? new ConsoleMailer() : new UnsentMailer();
}

/** Global: every context asks `Tenants` and `Parties`, and the access guard stands before every route. */
@Module({})
export class IdentityModule {
  /** Needs `PersistenceModule`. @param config with its secrets filled in */
  static forRoot(
    config: Pick<Config, 'tokens' | 'secrets' | 'chain' | 'siwe' | 'mail' | 'limits' | 'queue'>,
    clock: Clock = new SystemClock(),
  ): DynamicModule {
    return {
      module: IdentityModule,
      global: true,
      imports: [DiscoveryModule, JwtModule.register({})],
      controllers: [AuthController, SiweController, PasswordController, KeysController, UsageController],
      providers: [
        { provide: IdentitySettings, useValue: new IdentitySettings(config) },
        { provide: Clock, useValue: clock },
        {
          provide: RateLimiter,
          useFactory: () => (config.queue.kind === 'redis' ? new RedisRateLimiter(config.queue.url) : new MemoryRateLimiter()),
        },
        { provide: RateLimits, useFactory: (limiter: RateLimiter) => new RateLimits(limiter, config.limits), inject: [RateLimiter] },
        { provide: Quotas, useValue: new SqlQuotas(config.limits.tiers, clock) },
        { provide: APP_GUARD, useClass: AccessGuard },
        SigningKeys,
        BearerTokens,
        PrincipalMemory,
        RevocationWatch,
        KeyUse,
        IdentityLogHandler,
        RoutesSayAccess,
        ...ADAPTERS,
        ...AUTHENTICATION,
        ...ADMINISTRATION,
      ],
      exports: [
        Clock,
        RateLimits,
        RateLimiter,
        Tenants,
        Parties,
        AuditLog,
        Quotas,
        ContractDirectory,
        IdentityLogHandler,
        ...FOR_ADMINISTRATION,
        ...ADMINISTRATION,
      ],
    };
  }
}
