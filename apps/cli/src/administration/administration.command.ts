import { randomBytes } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { type Command, Option } from 'commander';
import { configFrom } from '#config';
import {
  ChangeApiKey,
  ChangeTenant,
  CreateApiKey,
  CreateOrganisation,
  CreateTenant,
  CreateUser,
  InviteMember,
  OPERATOR,
  OpenTenant,
  PrepareGrants,
  ReadMembers,
  RequestPasswordReset,
  type RoleScopes,
  TenantsQueries,
} from '#identity';
import { DomainError, ROLES, type Role, isChecksumAddress } from '#kernel';
import { OperatorError } from '../../../runtime/src/index.js';
import { asOperator } from '../operator.js';
import { addTenantArchive } from '../tenant/archive.command.js';

type Say = (line: string) => void;
type Work = (app: INestApplicationContext) => Promise<unknown>;

const PAGE = { page: 1, limit: 100 };

/**
 * The tasks of administrators, for the operator of the service: the same use cases as over HTTP, on its database. The output is JSON, so
 * that scripts can read it. Passwords come from the environment (TRACE_PASSWORD), never from an argument.
 */
export function addAdministration(program: Command, say: Say): void {
  const run = (work: Work): Promise<void> =>
    asOperator(configFrom(process.env), async (app) => {
      const answer = await work(app).catch((error: unknown) => {
        throw error instanceof DomainError ? new OperatorError(sentenceOf(error)) : error;
      });
      if (answer !== undefined) say(JSON.stringify(answer, null, 2));
    });
  addAdmins(program, run);
  addUsers(program, run);
  addTenantArchive(addTenants(program, run), say);
  addMembers(program, run);
  addOrganisations(program, run);
  addKeys(program, run);
}

type Run = (work: Work) => Promise<void>;

function addAdmins(program: Command, run: Run): void {
  program
    .command('admin')
    .description('platform administrators')
    .command('create <email>')
    .description('create a platform administrator; without TRACE_PASSWORD a password is generated and shown once')
    .option('--name <name>', 'name', '')
    .action((email: string, { name }: { name: string }) =>
      run(async (app) => {
        const given = process.env.TRACE_PASSWORD;
        const password = given ?? randomBytes(18).toString('base64url');
        const { id } = await app.get(CreateUser).create({ email, name, password, platformAdmin: true });
        return { id, email, ...(given === undefined && { password }) };
      }),
    );
}

function addUsers(program: Command, run: Run): void {
  program
    .command('user')
    .description('users of all tenants')
    .command('link <email>')
    .description('print a one-time token for a new password, for a user who gets no mail; valid for one hour')
    .action((email: string) =>
      run(async (app) => {
        const link = await app.get(RequestPasswordReset).link(email, OPERATOR);
        if (!link) throw new OperatorError(`No user has the e-mail ${email}, or the user has too many unused links.`);
        return { token: link.token, expiresAt: link.expiresAt };
      }),
    );
}

function addTenants(program: Command, run: Run): Command {
  const tenant = program.command('tenant').description('tenants of the service');
  tenant
    .command('create <slug>')
    .description("create a tenant with its first administrator, and print the transaction that the registry's owner signs")
    .requiredOption('--name <name>', 'name')
    .requiredOption('--admin-email <email>', 'first TENANT_ADMIN; TRACE_PASSWORD or a one-time link')
    .requiredOption('--admin-wallet <address>', "EIP-55 address; ADMIN of the tenant's contract")
    .addOption(new Option('--environment <environment>').choices(['sandbox', 'production']).default('production'))
    .option('--tier <tier>', 'tier of rates and quotas')
    .option('--id <uuid>', 'UUID that the tenant had in a database that was lost: the saved keys of its contents belong to it')
    .action((slug: string, options: TenantOptions) =>
      run(async (app) => {
        const { name, environment, tier, id } = options;
        const admin = { email: options.adminEmail, wallet: options.adminWallet, ...passwordGiven() };
        const opened = await app
          .get(OpenTenant)
          .open({ slug, name, environment, ...(tier && { tier }), ...(id && { id }), admin }, null, OPERATOR);
        return { tenantId: slug, tenantUuid: opened.tenant.id, admin: opened.admin, preparedTx: opened.preparedTx };
      }),
    );
  tenant
    .command('list')
    .description('list the tenants by slug')
    .action(() =>
      run(async (app) =>
        (await app.get(TenantsQueries).list(PAGE)).data.map(({ tenant: { slug, name, status, tier }, contract }) => ({
          slug,
          name,
          status,
          tier,
          contract,
        })),
      ),
    );
  addTenantChanges(tenant, run);
  return tenant;
}

function addTenantChanges(tenant: Command, run: Run): void {
  tenant
    .command('suspend <slug>')
    .description("refuse the tenant's members and keys")
    .option('--reason <reason>', 'for the audit log')
    .action((slug: string, { reason }: { reason?: string }) => run((app) => app.get(ChangeTenant).suspend(slug, OPERATOR, reason ?? null)));
  tenant
    .command('tier <slug> <tier>')
    .description('change the tier of rates and quotas')
    .action((slug: string, tier: string) => run((app) => app.get(ChangeTenant).changeTier(slug, tier, OPERATOR)));
  tenant
    .command('resume <slug>')
    .description('accept the members and keys of a suspended tenant again')
    .action((slug: string) => run((app) => app.get(ChangeTenant).resume(slug, OPERATOR)));
}

function addMembers(program: Command, run: Run): void {
  const member = program.command('member').description('members of a tenant');
  member
    .command('add <tenant> <email>')
    .description('make a user a member; a new user gets TRACE_PASSWORD or a one-time link')
    .requiredOption('--roles <roles>', ROLES.join(','), rolesOf)
    .option('--scopes <json>', '{"OPERATOR": ["wool_*"]}', scopesOf)
    .option('--name <name>', 'name of a new user')
    .option('--wallet <address>', 'EIP-55 address')
    .option('--org <id>', 'organisation')
    .action((slug: string, email: string, { roles, scopes, name, wallet, org }: MemberOptions) =>
      run(async (app) =>
        app.get(InviteMember).add(
          await idOf(app, slug),
          {
            email,
            roles,
            ...(scopes && { roleScopes: scopes }),
            ...(name && { name }),
            wallet: wallet ?? null,
            orgId: org ?? null,
            ...passwordGiven(),
          },
          OPERATOR,
        ),
      ),
    );
  member
    .command('list <tenant>')
    .description('list the members, and whether the contract agrees with their roles')
    .action((slug: string) =>
      run(async (app) => (await app.get(ReadMembers).list(await idOf(app, slug), { status: 'all', search: '' }, PAGE)).data),
    );
  member
    .command('grant <tenant> <userId>')
    .description("print the transactions that make the contract agree with the member's roles; an ADMIN of the contract signs them")
    .action((slug: string, userId: string) =>
      run(async (app) => app.get(PrepareGrants).prepare(await idOf(app, slug), userId, null, OPERATOR)),
    );
}

function addOrganisations(program: Command, run: Run): void {
  program
    .command('organisation')
    .description('organisations of a tenant')
    .command('add <tenant> <name>')
    .description('create an organisation')
    .option('--lei <lei>', 'ISO 17442')
    .option('--gln <gln>', 'GS1 global location number')
    .option('--did <did>', 'did:web:…')
    .action((slug: string, name: string, options: { lei?: string; gln?: string; did?: string }) =>
      run(async (app) => app.get(CreateOrganisation).create(await idOf(app, slug), { name, ...options })),
    );
}

function addKeys(program: Command, run: Run): void {
  const key = program.command('key').description('API keys of a tenant');
  key
    .command('create <tenant> <name>')
    .description('create a key; its secret is shown once')
    .requiredOption('--roles <roles>', ROLES.join(','), rolesOf)
    .option('--scopes <json>', '{"OPERATOR": ["wool_*"]}', scopesOf)
    .option('--wallet <address>', 'EIP-55 address', walletOf)
    .option('--org <id>', 'organisation')
    .option('--expires <time>', 'ISO 8601', timeOf)
    .action((slug: string, name: string, { roles, scopes, wallet, org, expires }: KeyOptions) =>
      run(async (app) => {
        const grants = { roles, ...(scopes && { roleScopes: scopes }), wallet: wallet ?? null, orgId: org ?? null };
        const created = await app.get(CreateApiKey).create(await idOf(app, slug), { name, ...grants, expiresAt: expires ?? null }, null);
        return { id: created.key.id, secret: created.text };
      }),
    );
  key
    .command('rotate <tenant> <id>')
    .description('give a key a new secret')
    .option('--overlap <seconds>', 'how long the old secret stays valid', Number, 0)
    .action((slug: string, id: string, { overlap }: { overlap: number }) =>
      run(async (app) => {
        if (!Number.isSafeInteger(overlap) || overlap < 0) throw new OperatorError('--overlap must be a number of seconds.');
        return { id, secret: (await app.get(ChangeApiKey).rotate(await idOf(app, slug), id, overlap, null)).text };
      }),
    );
  key
    .command('revoke <tenant> <id>')
    .description('revoke a key, at once')
    .action((slug: string, id: string) => run(async (app) => app.get(ChangeApiKey).revoke(await idOf(app, slug), id, null)));
}

interface TenantOptions {
  readonly name: string;
  readonly adminEmail: string;
  readonly adminWallet: string;
  readonly environment: 'sandbox' | 'production';
  readonly tier?: string;
  readonly id?: string;
}

interface MemberOptions {
  readonly roles: readonly Role[];
  readonly scopes?: RoleScopes;
  readonly name?: string;
  readonly wallet?: string;
  readonly org?: string;
}

type KeyOptions = Omit<MemberOptions, 'name'> & { readonly expires?: Date };

const passwordGiven = (): { password?: string } =>
  process.env.TRACE_PASSWORD === undefined ? {} : { password: process.env.TRACE_PASSWORD };

async function idOf(app: INestApplicationContext, slug: string): Promise<string> {
  const tenant = await app.get(CreateTenant).find(slug);
  if (!tenant) throw new OperatorError(`There is no tenant ${slug}.`);
  return tenant.id;
}

function rolesOf(text: string): readonly Role[] {
  const roles = text.split(',').map((role) => role.trim());
  const unknown = roles.find((role) => !(ROLES as readonly string[]).includes(role));
  if (unknown !== undefined) throw new OperatorError(`${unknown} is not a role. The roles are ${ROLES.join(', ')}.`);
  return roles as Role[];
}

function scopesOf(text: string): RoleScopes {
  const scopes: unknown = (() => {
    try {
      return JSON.parse(text);
    } catch {
      return null;
    }
  })();
  const isList = (value: unknown): boolean => Array.isArray(value) && value.every((glob) => typeof glob === 'string');
  if (scopes === null || typeof scopes !== 'object' || Array.isArray(scopes) || !Object.values(scopes).every(isList))
    throw new OperatorError('--scopes must be a JSON object with a list of process keys for each role: {"OPERATOR": ["wool_*"]}.');
  return scopes;
}

function walletOf(text: string): string {
  if (!isChecksumAddress(text)) throw new OperatorError('--wallet must be an address in its EIP-55 form.');
  return text;
}

function timeOf(text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new OperatorError('--expires must be an ISO 8601 time.');
  return time;
}

const sentenceOf = ({ message, details, code }: DomainError): string =>
  [`${message} (${code})`, ...(details.errors ?? []).map((fault) => `${fault.pointer}: ${fault.message}`)].join('\n');
