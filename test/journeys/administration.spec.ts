import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Wallet, type HDNodeWallet } from 'ethers';
import { type ApiProblem, type Json, type PreparedTx, Rpc, Sender, TraceabilityClient } from '#client';
import { CreateUser } from '#identity';
import { type SystemTx, UnitOfWork } from '#persistence';
import { operatorWallet } from '../../apps/cli/src/demo/dev-wallets.js';
import { confirmWallet, signedMessage } from '../harness/confirm-wallet.js';
import { eventually } from '../harness/eventually.js';
import { givePassword } from '../harness/give-password.js';
import { SmtpSink } from '../harness/smtp-sink.js';
import { World } from '../harness/world.js';

interface Member extends Json {
  readonly id: string;
  readonly onChain: { readonly roles: string[]; readonly processes: string[]; readonly agrees: boolean } | null;
}
type Prepared = { readonly preparedTxs: readonly { readonly method: string; readonly preparedTx: PreparedTx }[] };

const PASSWORD = 'correct horse battery';

describe('administration of a tenant', () => {
  let world: World;
  let mailbox: SmtpSink;
  let admin: TraceabilityClient;
  let adminWallet: Sender;

  beforeAll(async () => {
    mailbox = await SmtpSink.start();
    world = await World.start({ SMTP_URL: `smtp://localhost:${mailbox.port}`, MAIL_FROM: 'trace@example.org' });
    admin = await world.admin('wool');
    adminWallet = new Sender(world.node.url, new Wallet(world.tenant('wool').admin.privateKey));
  });
  afterAll(async () => {
    await world?.close();
    await mailbox?.close();
  });

  const refused = async (call: Promise<unknown>): Promise<string> => {
    const problem = await call.then(
      () => null,
      (error: ApiProblem) => error,
    );
    return problem ? `${problem.status} ${problem.code}` : 'not refused';
  };
  const asSystem = <T>(work: (tx: SystemTx) => Promise<T>): Promise<T> => world.service.app.get(UnitOfWork).asSystem(work);
  const invite = (body: object, by = admin): Promise<Member> => by.post('/api/v2/members', body);
  /** Invited, and sets a password. */
  const inviteUser = async (body: { readonly email: string; readonly [field: string]: unknown }): Promise<Member> => {
    const invited = await invite(body);
    await givePassword(world, body.email, PASSWORD);
    return invited;
  };
  /** And confirms the wallet. */
  const inviteWith = async (wallet: HDNodeWallet, body: { readonly email: string; readonly roles: string[] }): Promise<Member> => {
    const { id } = await inviteUser({ ...body, wallet: wallet.address });
    await confirmWallet(world, { email: body.email, password: PASSWORD }, wallet);
    return member(id);
  };
  const invitationTo = async (address: string): Promise<string> => {
    const mail = await eventually('the invitation', () => mailbox.mails.find(({ to }) => to === address));
    return /\n\nhttp:\/\/localhost:\d+\/portal\/invitation#([\w-]{43})\n/.exec(mail.text)![1]!;
  };
  const member = (id: string): Promise<Member> => admin.get(`/api/v2/members/${id}`);
  const signAll = async ({ preparedTxs }: Prepared): Promise<void> => {
    for (const { preparedTx } of preparedTxs) await adminWallet.sendAndWait(preparedTx);
  };
  const funded = async (): Promise<HDNodeWallet> => {
    const wallet = Wallet.createRandom();
    const { chainId } = world.demo;
    await new Sender(world.node.url, operatorWallet()).sendAndWait({
      to: wallet.address,
      data: '0x',
      gasEstimate: 21_000,
      chainId,
      value: 10n ** 18n,
    });
    return wallet;
  };
  const anonymous = (): TraceabilityClient => new TraceabilityClient(world.baseUrl);
  const until = <T>(what: string, ask: () => Promise<T>, holds: (answer: T) => boolean): Promise<T> =>
    eventually(what, async () => {
      const answer = await ask();
      return holds(answer) && answer;
    });
  const keyOf = (secret: string): TraceabilityClient => new TraceabilityClient(world.baseUrl, { apiKey: secret });

  describe('members and their rights on chain', () => {
    it('invites by a mailed one-time link, with which a password can be set once', async () => {
      const { id } = await invite({ email: 'Linked@wool.example', name: 'Linked', roles: ['AUDITOR'] });
      const accept = { token: await invitationTo('linked@wool.example'), password: PASSWORD };
      await anonymous().post('/api/v2/auth/invitations/accept', accept);
      expect(await refused(anonymous().post('/api/v2/auth/invitations/accept', accept))).toBe('404 invitation_not_found');
      const them = await TraceabilityClient.login(world.baseUrl, 'linked@wool.example', PASSWORD);
      expect(await them.get<Json>('/api/v2/auth/me')).toMatchObject({ sub: id, roles: ['AUDITOR'], tid: 'wool' });
    });

    it('prepares the grants of an operator with fewer scopes; when they are signed, chain and service agree', async () => {
      const grants = { email: 'shearer@wool.example', roles: ['OPERATOR'], roleScopes: { OPERATOR: ['wool_s*'] } };
      const { id, onChain } = await inviteWith(Wallet.createRandom(), grants);
      expect(onChain).toEqual({ roles: [], processes: [], agrees: false });
      const prepared = await admin.post<Prepared>(`/api/v2/members/${id}/grants/prepare`);
      expect(prepared.preparedTxs.map(({ method }) => method)).toEqual(['setRoles', 'setProcessScope']);
      await signAll(prepared);
      const granted = await until(
        'chain and service agree',
        () => member(id),
        ({ onChain: now }) => now!.agrees,
      );
      expect(granted.onChain!.roles).toEqual(['OPERATOR']);
      expect(granted.onChain!.processes).toContain('wool_shearing');
      expect(granted.onChain!.processes.every((key) => key.startsWith('wool_s'))).toBe(true);
      expect(await admin.post(`/api/v2/members/${id}/grants/prepare`)).toEqual({ preparedTxs: [] });

      // A removed member keeps nothing on chain either.
      await admin.request('DELETE', `/api/v2/members/${id}`);
      expect((await member(id)).onChain!.agrees).toBe(false);
      await signAll(await admin.post<Prepared>(`/api/v2/members/${id}/grants/prepare`));
      const removed = await until(
        'chain and service agree',
        () => member(id),
        ({ onChain: now }) => now!.agrees,
      );
      expect(removed.onChain!.roles).toEqual([]);
    });

    it('shows that the demo members agree with their contract', async () => {
      const { data } = await admin.get<{ data: Member[] }>('/api/v2/members?limit=100');
      const demo = data.filter(({ onChain }) => onChain !== null);
      expect(demo.length).toBeGreaterThan(2);
      expect(demo.map(({ onChain }) => onChain!.agrees)).toEqual(demo.map(() => true));
    });

    it('applies changed rights at once to tokens that were issued before', async () => {
      const { id } = await inviteUser({ email: 'changing@wool.example', roles: ['AUDITOR'] });
      const them = await TraceabilityClient.login(world.baseUrl, 'changing@wool.example', PASSWORD);
      await them.get('/api/v1/audit');
      await admin.request('PATCH', `/api/v2/members/${id}`, { roles: ['OPERATOR'] });
      expect(await refused(them.get('/api/v1/audit'))).toBe('403 role_required');
      await admin.request('DELETE', `/api/v2/members/${id}`);
      expect(await refused(them.get('/api/v1/organisations'))).toBe('401 invalid_token');
    });

    it('replaces a lost wallet: the rights move with signatures, the lots after seven days', async () => {
      const lost = await funded();
      const found = await funded();
      const email = 'loser@wool.example';
      const { id } = await inviteWith(lost, { email, roles: ['OPERATOR'] });
      await signAll(await admin.post<Prepared>(`/api/v2/members/${id}/grants/prepare`));
      // The wallet becomes a custodian by an offer that somebody makes to it.
      await world.play('wool', 1);
      const [lot] = (await admin.lots.list()).data;
      const holder = Object.values(world.tenant('wool').actors).find(({ address }) => address === lot!.custodian)!;
      const holderClient = await TraceabilityClient.login(world.baseUrl, holder.email, holder.password, 'wool');
      const offer = await holderClient.post<{ preparedTx: PreparedTx }>('/api/v1/custody/prepare', {
        action: 'offer',
        tokenIds: [lot!.tokenId],
        to: lost.address,
      });
      await new Sender(world.node.url, new Wallet(holder.privateKey)).sendAndWait(offer.preparedTx);

      const replacement = await admin.post<Prepared & { acceptance: { preparedTx: PreparedTx } }>(
        `/api/v2/members/${id}/wallet/replace/prepare`,
        {
          wallet: found.address,
        },
      );
      expect(replacement.preparedTxs.map(({ method }) => method)).toEqual(['setRoles', 'proposeWallet', 'setRoles']);
      await signAll(replacement);
      const rpc = new Rpc(world.node.url);
      await rpc.call('evm_increaseTime', [7 * 86_400 + 60]);
      await rpc.call('evm_mine', []);
      await new Sender(world.node.url, found).sendAndWait(replacement.acceptance.preparedTx);
      // The chain has moved the lots. Who signs in with the new wallet is for the member to say.
      const moved = await until(
        'the wallet has moved',
        () => member(id),
        ({ proposedWallet }) => proposedWallet === found.address,
      );
      expect(moved['wallet']).toBe(lost.address);
      const signedIn = async (): Promise<string> => refused(anonymous().post('/api/v2/auth/siwe', await signedMessage(world, found)));
      expect(await signedIn()).toBe('401 unknown_wallet');
      await confirmWallet(world, { email, password: PASSWORD }, found);
      expect(await member(id)).toMatchObject({
        wallet: found.address,
        proposedWallet: null,
        onChain: { roles: ['OPERATOR_ALL'], processes: [], agrees: true },
      });
      expect(await signedIn()).toBe('not refused');
    });

    it.each([
      ['a role that is none', { email: 'x@wool.example', roles: ['KING'] }, '400 malformed_request'],
      ['an unknown field', { email: 'x@wool.example', roles: [], platformAdmin: true }, '400 malformed_request'],
      [
        'scopes that are no lists',
        { email: 'x@wool.example', roles: ['OPERATOR'], roleScopes: { OPERATOR: 'wool_*' } },
        '400 malformed_request',
      ],
      ['a wallet without its checksum', { email: 'x@wool.example', roles: [], wallet: `0x${'ab'.repeat(20)}` }, '422 invalid_content'],
      ['a password', { email: 'x@wool.example', roles: [], password: PASSWORD }, '400 malformed_request'],
      [
        'an organisation that is none',
        { email: 'x@wool.example', roles: [], orgId: '00000000-0000-4000-8000-000000000000' },
        '404 organisation_not_found',
      ],
    ])('refuses %s', async (_, body, expected) => {
      expect(await refused(admin.post('/api/v2/members', body))).toBe(expected);
    });

    it('keeps the last TENANT_ADMIN', async () => {
      const { sub } = await admin.get<Json>('/api/v2/auth/me');
      expect(await refused(admin.request('PATCH', `/api/v2/members/${String(sub)}`, { roles: ['AUDITOR'] }))).toBe('409 last_tenant_admin');
      expect(await refused(admin.request('DELETE', `/api/v2/members/${String(sub)}`))).toBe('409 last_tenant_admin');
    });
  });

  describe('API keys', () => {
    type Key = Json & { readonly id: string; readonly secret: string };
    const create = (body: object): Promise<Key> => admin.post('/api/v1/api-keys', body);

    it('shows the secret once, and every field of the key', async () => {
      const { secret, ...created } = await create({ name: 'ERP', roles: ['OPERATOR'], roleScopes: { OPERATOR: ['wool_*'] } });
      const { data } = await admin.get<{ data: Json[] }>('/api/v1/api-keys');
      const listed = data.find(({ id }) => id === created.id);
      expect(listed).toEqual(created);
      expect(Object.keys(listed!).toSorted()).toEqual(
        'id name prefix roles roleScopes wallet orgId expiresAt lastUsedAt createdAt revokedAt'.split(' ').toSorted(),
      );
      expect(secret).toMatch(/^tsk_live_[0-9a-f]{32}_[0-9a-f]{72}$/);
      expect(JSON.stringify(data)).not.toContain(secret.slice(-72));
    });

    it('gives access to webhooks, lots and events, but not to authentication or keys', async () => {
      const { id, secret } = await create({ name: 'backend', roles: ['TENANT_ADMIN'] });
      const backend = keyOf(secret);
      const hook = await backend.webhooks.create(world.sink.url('/key'), ['nft.created']);
      await backend.webhooks.delete(hook.id);
      await backend.lots.list();
      await backend.events.list();
      for (const path of ['/api/v2/auth/me', '/api/v2/auth/memberships', '/api/v1/api-keys', '/api/v2/members'])
        expect(`${path} ${await refused(backend.get(path))}`).toBe(`${path} 403 bearer_required`);
      const used = async (): Promise<Json> => (await admin.get<{ data: Json[] }>('/api/v1/api-keys')).data.find((key) => key.id === id)!;
      const first = (await until('the use is noted', used, ({ lastUsedAt }) => lastUsedAt !== null)).lastUsedAt;
      await backend.lots.list();
      expect((await used()).lastUsedAt).toBe(first);
    });

    it('rotates with or without an overlap, and revokes at once', async () => {
      const { id, secret } = await create({ name: 'rotating', roles: ['AUDITOR'] });
      await keyOf(secret).lots.list();
      const second = (await admin.post<Key>(`/api/v1/api-keys/${id}/rotate`, { overlapSeconds: 60 })).secret;
      await keyOf(secret).lots.list();
      await keyOf(second).lots.list();
      const third = (await admin.post<Key>(`/api/v1/api-keys/${id}/rotate`, {})).secret;
      expect(await refused(keyOf(secret).lots.list())).toBe('401 invalid_api_key');
      expect(await refused(keyOf(second).lots.list())).toBe('401 invalid_api_key');
      await keyOf(third).lots.list();
      await admin.request('DELETE', `/api/v1/api-keys/${id}`);
      expect(await refused(keyOf(third).lots.list())).toBe('401 invalid_api_key');
      expect(await refused(admin.post(`/api/v1/api-keys/${id}/rotate`, {}))).toBe('409 api_key_revoked');
    });

    it('is refused after it expires', async () => {
      const end = Date.now() + 5_000;
      const { secret } = await create({ name: 'brief', roles: ['AUDITOR'], expiresAt: new Date(end).toISOString() });
      const first = await refused(keyOf(secret).lots.list());
      // A busy machine may have come too late for it.
      expect(first !== 'not refused' && Date.now() < end).toBe(false);
      expect(
        await until(
          'the key has expired',
          () => refused(keyOf(secret).lots.list()),
          (answer) => answer !== 'not refused',
        ),
      ).toBe('401 invalid_api_key');
    });

    it('gives 404 for a key of another tenant, and is for administrators only', async () => {
      const { id } = await create({ name: 'foreign', roles: ['AUDITOR'] });
      const rice = await world.admin('rice');
      expect(await refused(rice.request('DELETE', `/api/v1/api-keys/${id}`))).toBe('404 api_key_not_found');
      expect(await refused(rice.post(`/api/v1/api-keys/${id}/rotate`, {}))).toBe('404 api_key_not_found');
      const [operator] = Object.values(world.tenant('wool').actors);
      const them = await TraceabilityClient.login(world.baseUrl, operator!.email, operator!.password, 'wool');
      expect(await refused(them.get('/api/v1/api-keys'))).toBe('403 role_required');
    });

    it('never has more rights than its creator', async () => {
      await inviteUser({
        email: 'narrow@wool.example',
        roles: ['TENANT_ADMIN'],
        roleScopes: { TENANT_ADMIN: ['wool_shearing'] },
      });
      const narrow = await TraceabilityClient.login(world.baseUrl, 'narrow@wool.example', PASSWORD);
      const body = { name: 'wide', roles: ['OPERATOR'] };
      expect(await refused(narrow.post('/api/v1/api-keys', body))).toBe('403 beyond_own_grants');
      await narrow.post('/api/v1/api-keys', { ...body, roleScopes: { OPERATOR: ['wool_shearing'] } });
    });
  });

  describe('organisations', () => {
    it('stores profile, sites and wallets, and verifies check digits', async () => {
      const made = await admin.post<Json & { id: string }>('/api/v1/organisations', {
        name: 'Scour & Sons',
        lei: '529900T8BM49AURSDO55',
        gln: '4012345000009',
        did: 'did:web:scour.example',
        publicProfile: { country: 'NZ' },
      });
      const { address } = Wallet.createRandom();
      await admin.post(`/api/v1/organisations/${made.id}/sites`, { name: 'Mill' });
      const whole = await admin.post<Json>(`/api/v1/organisations/${made.id}/wallets`, { address, label: 'Mill gate' });
      expect(whole).toMatchObject({
        sites: [{ name: 'Mill' }],
        wallets: [{ address, label: 'Mill gate' }],
        publicProfile: { country: 'NZ' },
      });
      await admin.request('PATCH', `/api/v1/organisations/${made.id}`, { lei: null });
      expect(await admin.get<Json>(`/api/v1/organisations/${made.id}`)).toMatchObject({ lei: null, gln: '4012345000009' });
      expect(await refused(admin.request('PATCH', `/api/v1/organisations/${made.id}`, { gln: '4012345000008' }))).toBe(
        '422 invalid_content',
      );
      expect(await refused(admin.request('PATCH', `/api/v1/organisations/${made.id}`, { lei: '529900T8BM49AURSDO54' }))).toBe(
        '422 invalid_content',
      );
      expect(await refused(admin.post('/api/v1/organisations', { name: 'scour & sons' }))).toBe('409 organisation_name_taken');
      const rice = await world.admin('rice');
      expect(await refused(rice.get(`/api/v1/organisations/${made.id}`))).toBe('404 organisation_not_found');
    });

    it('can be changed by its own ADMIN, and by no other', async () => {
      const [own, other] = await Promise.all(
        ['Own', 'Other'].map((name) => admin.post<Json & { id: string }>('/api/v1/organisations', { name })),
      );
      await inviteUser({ email: 'orgadmin@wool.example', roles: ['ADMIN'], orgId: own!.id });
      const them = await TraceabilityClient.login(world.baseUrl, 'orgadmin@wool.example', PASSWORD);
      expect(await them.request<Json>('PATCH', `/api/v1/organisations/${own!.id}`, { name: 'Ours' })).toMatchObject({ name: 'Ours' });
      expect(await refused(them.request('PATCH', `/api/v1/organisations/${other!.id}`, { name: 'Mine' }))).toBe(
        '403 not_your_organisation',
      );
      expect(await refused(them.post('/api/v1/organisations', { name: 'New' }))).toBe('403 role_required');
    });
  });

  describe('the platform', () => {
    let platform: TraceabilityClient;
    beforeAll(async () => {
      await world.service.app
        .get(CreateUser)
        .create({ email: 'root@platform.example', name: 'Root', password: PASSWORD, platformAdmin: true });
      platform = await TraceabilityClient.login(world.baseUrl, 'root@platform.example', PASSWORD);
    });

    it('creates a tenant whose contract is deployed with a prepared transaction', async () => {
      const wallet = await funded();
      const registryOwner = new Sender(world.node.url, operatorWallet());
      const opened = await platform.post<{ preparedTx: PreparedTx; tenant: Json }>('/api/v2/tenants', {
        slug: 'cocoa',
        name: 'Cocoa',
        environment: 'sandbox',
        admin: { email: 'admin@cocoa.example', password: PASSWORD, wallet: wallet.address },
        from: registryOwner.address,
      });
      expect(opened.tenant).toMatchObject({ tenantId: 'cocoa', status: 'active', contract: null, tier: 'sandbox' });
      await registryOwner.sendAndWait(opened.preparedTx);
      const landed = await until(
        'the contract has landed',
        () => platform.get<Json>('/api/v2/tenants/cocoa'),
        ({ contract }) => contract !== null,
      );
      expect(landed.contractVersion).toBe(1);
      await confirmWallet(world, { email: 'admin@cocoa.example', password: PASSWORD }, wallet);
      const cocoa = await TraceabilityClient.login(world.baseUrl, 'admin@cocoa.example', PASSWORD);
      const { data } = await cocoa.get<{ data: Member[] }>('/api/v2/members');
      expect(data.map(({ onChain }) => onChain)).toEqual([{ roles: ['ADMIN', 'OPERATOR_ALL', 'RECALLER'], processes: [], agrees: true }]);
      const again = { wallet: wallet.address };
      expect(await refused(platform.post('/api/v2/tenants/cocoa/contract/prepare', again))).toBe('409 contract_exists');
    });

    it('suspends a tenant: members and keys are refused at once, and accepted again after resuming', async () => {
      const rice = await world.admin('rice');
      const { secret } = await rice.post<{ secret: string }>('/api/v1/api-keys', { name: 'rice', roles: ['AUDITOR'] });
      await keyOf(secret).lots.list();
      await platform.post('/api/v2/tenants/rice/suspend', { reason: 'unpaid' });
      expect(await refused(rice.lots.list())).toBe('401 invalid_token');
      expect(await refused(keyOf(secret).lots.list())).toBe('401 invalid_api_key');
      await admin.lots.list();
      await platform.post('/api/v2/tenants/rice/resume');
      await rice.lots.list();
      await keyOf(secret).lots.list();
    });

    it('is for platform administrators only, and they have no access to tenants', async () => {
      expect(await refused(admin.get('/api/v2/tenants'))).toBe('403 platform_admin_required');
      expect(await refused(platform.get('/api/v2/members'))).toBe('403 tenant_required');
      expect(await refused(platform.post('/api/v2/tenants/nowhere/suspend'))).toBe('404 tenant_not_found');
    });
  });

  describe('the audit log', () => {
    it('says who did what, to members who may read it', async () => {
      await refused(TraceabilityClient.login(world.baseUrl, 'admin@wool.example', 'wrong password'));
      const leaving = await world.admin('wool');
      await leaving.post('/api/v2/auth/logout');
      const { data } = await admin.get<{ data: Json[] }>('/api/v1/audit?limit=100');
      const actions = new Set(data.map(({ action }) => action));
      for (const action of [
        'login.succeeded',
        'login.failed',
        'logout',
        'member.added',
        'member.removed',
        'api_key.created',
        'api_key.revoked',
        'organisation.changed',
      ])
        expect(actions).toContain(action);
      expect(JSON.stringify(data)).not.toMatch(/tsk_live_[0-9a-f]{32}_|correct horse/);
      const failed = await admin.get<{ data: Json[]; total: number }>('/api/v1/audit?action=login.failed&limit=1');
      expect(failed.data).toMatchObject([{ action: 'login.failed', details: { ip: '127.0.0.1' } }]);
      const rice = await world.admin('rice');
      const theirs = await rice.get<{ data: Json[] }>('/api/v1/audit?action=tenant.suspended');
      expect(theirs.data).toMatchObject([{ actorKind: 'platform', details: { reason: 'unpaid' } }]);
    });

    it('has each change of keys, members, grants, webhooks and process maps once, with its author', async () => {
      const began = Date.now();
      const { sub } = await admin.get<{ sub: string }>('/api/v2/auth/me');
      const key = await admin.post<{ id: string }>('/api/v1/api-keys', { name: 'noted', roles: ['OPERATOR'] });
      await admin.post(`/api/v1/api-keys/${key.id}/rotate`, { overlapSeconds: 60 });
      await admin.request('DELETE', `/api/v1/api-keys/${key.id}`);
      await admin.request('DELETE', `/api/v1/api-keys/${key.id}`);
      const { id } = await inviteWith(Wallet.createRandom(), { email: 'noted@wool.example', roles: ['OPERATOR'] });
      await admin.request('PATCH', `/api/v2/members/${id}`, { roleScopes: { OPERATOR: ['wool_*'] } });
      await admin.post(`/api/v2/members/${id}/grants/prepare`);
      await admin.request('DELETE', `/api/v2/members/${id}`);
      const hook = await admin.webhooks.create(world.sink.url('/a-token-in-the-path'), ['webhook.test']);
      await admin.request('PATCH', `/api/v1/webhooks/${hook.id}`, {});
      await admin.request('PATCH', `/api/v1/webhooks/${hook.id}`, { active: false });
      await admin.post(`/api/v1/webhooks/${hook.id}/rotate-secret`, { gracePeriodSeconds: 5 });
      await admin.post(`/api/v1/webhooks/${hook.id}/resume`);
      await admin.webhooks.delete(hook.id);
      const [map] = (await admin.get<{ data: { name: string; version: string }[] }>('/api/v1/process-maps')).data;
      const { document } = await admin.get<{ document: Json }>(`/api/v1/process-maps/${map!.name}`);
      const published = await admin.post<{ cid: string }>('/api/v1/process-maps', { ...document, version: '9.0.0' });
      await admin.post('/api/v1/process-maps', { ...document, version: '9.0.0' });

      const of = async (subject: string): Promise<Json[]> =>
        (await admin.get<{ data: Json[] }>(`/api/v1/audit?subject=${encodeURIComponent(subject)}&limit=100`)).data
          .filter(({ at }) => Date.parse(at as string) >= began)
          .toReversed();
      const all = [...(await of(key.id)), ...(await of(id)), ...(await of(hook.id)), ...(await of(map!.name))];
      expect(all.filter(({ actorId }) => actorId === id).map(({ action }) => action)).toEqual([
        'login.succeeded',
        'member.wallet_confirmed',
      ]);
      const entries = all.filter(({ actorId }) => actorId !== id);
      expect(entries.map(({ action }) => action)).toEqual([
        'api_key.created',
        'api_key.rotated',
        'api_key.revoked',
        'member.added',
        'member.changed',
        'member.grants_prepared',
        'member.removed',
        'webhook.created',
        'webhook.changed',
        'webhook.secret_rotated',
        'webhook.resumed',
        'webhook.deleted',
        'process_map.published',
      ]);
      expect(new Set(entries.map(({ actorKind, actorId }) => `${String(actorKind)} ${String(actorId)}`))).toEqual(new Set([`user ${sub}`]));
      expect(entries.find(({ action }) => action === 'member.changed')!.details).toMatchObject({
        before: { roleScopes: {} },
        after: { roleScopes: { OPERATOR: ['wool_*'] } },
      });
      expect(entries.find(({ action }) => action === 'webhook.changed')!.details).toMatchObject({ changed: ['active'], active: false });
      expect(entries.at(-1)!.details).toEqual({ version: '9.0.0', cid: published.cid });
      const text = JSON.stringify(entries);
      for (const secret of [PASSWORD, hook.secret, 'a-token-in-the-path', '_secret', 'tsk_']) expect(text).not.toContain(secret);
      const rice = await world.admin('rice');
      for (const subject of [key.id, hook.id])
        expect((await rice.get<{ total: number }>(`/api/v1/audit?subject=${subject}`)).total).toBe(0);
    });

    it('cannot be changed, not even by the system role', async () => {
      for (const statement of [`update identity.audit_entry set action = 'x'`, 'delete from identity.audit_entry'])
        await expect(asSystem((tx) => tx.sql(statement))).rejects.toThrow(/permission denied|append-only/);
    });
  });
});
