import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Wallet, type HDNodeWallet } from 'ethers';
import { type ApiProblem, type Json, type PreparedTx, Rpc, Sender, TraceabilityClient } from '#client';
import { CreateUser } from '#identity';
import { type SystemTx, UnitOfWork } from '#persistence';
import { operatorWallet } from '../../apps/cli/src/demo/dev-wallets.js';
import { eventually } from '../harness/eventually.js';
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
  const invite = (body: object): Promise<Member & { invitation: { token: string } | null }> => admin.post('/api/v2/members', body);
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

  describe('members and what the contract lets them do', () => {
    it('invites by a one-time link, which sets a password once', async () => {
      const { id, invitation } = await invite({ email: 'Linked@wool.example', name: 'Linked', roles: ['AUDITOR'] });
      const accept = { token: invitation!.token, password: PASSWORD };
      await anonymous().post('/api/v2/auth/invitations/accept', accept);
      expect(await refused(anonymous().post('/api/v2/auth/invitations/accept', accept))).toBe('404 invitation_not_found');
      const them = await TraceabilityClient.login(world.baseUrl, 'linked@wool.example', PASSWORD);
      expect(await them.get<Json>('/api/v2/auth/me')).toMatchObject({ sub: id, roles: ['AUDITOR'], tid: 'wool' });
    });

    it('prepares the grants of a narrowed operator; once they are signed, chain and service agree', async () => {
      const wallet = Wallet.createRandom().address;
      const { id, onChain } = await invite({
        email: 'shearer@wool.example',
        password: PASSWORD,
        roles: ['OPERATOR'],
        roleScopes: { OPERATOR: ['wool_s*'] },
        wallet,
      });
      expect(onChain).toEqual({ roles: [], processes: [], agrees: false });
      const prepared = await admin.post<Prepared>(`/api/v2/members/${id}/grants/prepare`);
      expect(prepared.preparedTxs.map(({ method }) => method)).toEqual(['setRoles', 'setProcessScope']);
      await signAll(prepared);
      const standing = await until(
        'chain and service agree',
        () => member(id),
        ({ onChain: now }) => now!.agrees,
      );
      expect(standing.onChain!.roles).toEqual(['OPERATOR']);
      expect(standing.onChain!.processes).toContain('wool_shearing');
      expect(standing.onChain!.processes.every((key) => key.startsWith('wool_s'))).toBe(true);
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

    it('lets other rights count at once for a token that is out', async () => {
      const { id } = await invite({ email: 'changing@wool.example', password: PASSWORD, roles: ['AUDITOR'] });
      const them = await TraceabilityClient.login(world.baseUrl, 'changing@wool.example', PASSWORD);
      await them.get('/api/v1/audit');
      await admin.request('PATCH', `/api/v2/members/${id}`, { roles: ['OPERATOR'] });
      expect(await refused(them.get('/api/v1/audit'))).toBe('403 role_required');
      await admin.request('DELETE', `/api/v2/members/${id}`);
      expect(await refused(them.get('/api/v1/organisations'))).toBe('401 invalid_token');
    });

    it('replaces a lost wallet: rights move with signatures, the lots after seven days', async () => {
      const lost = await funded();
      const found = await funded();
      const { id } = await invite({ email: 'loser@wool.example', password: PASSWORD, roles: ['OPERATOR'], wallet: lost.address });
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
      const moved = await until(
        'the wallet has moved',
        () => member(id),
        ({ wallet }) => wallet === found.address,
      );
      expect(moved.onChain).toEqual({ roles: ['OPERATOR_ALL'], processes: [], agrees: true });
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
      ['a short password', { email: 'x@wool.example', roles: [], password: '1234567' }, '422 invalid_content'],
      ['the password of somebody else', { email: 'admin@rice.example', roles: ['AUDITOR'], password: PASSWORD }, '409 email_taken'],
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

    it('never gives a link for a user of another tenant', async () => {
      const rice = await world.admin('rice');
      await rice.post('/api/v2/members', { email: 'shared@wool.example', roles: ['AUDITOR'] });
      const { invitation } = await invite({ email: 'shared@wool.example', roles: ['AUDITOR'] });
      expect(invitation).toBeNull();
    });
  });

  it('opens no other tenant to a password that one tenant gave: not before its mailbox is proven', async () => {
    const [email, givenByRice] = ['courted@wool.example', 'known to the administrator of rice'];
    const rice = await world.admin('rice');
    await rice.post('/api/v2/members', { email, password: givenByRice, roles: ['OPERATOR'] });
    const before = await TraceabilityClient.login(world.baseUrl, email, givenByRice);
    const { invitation } = await invite({ email, roles: ['TENANT_ADMIN'] });
    expect(invitation).toBeNull();

    const memberships = async (client: TraceabilityClient): Promise<string[]> =>
      (await client.get<{ slug: string }[]>('/api/v2/auth/memberships')).map(({ slug }) => slug);
    const after = await TraceabilityClient.login(world.baseUrl, email, givenByRice);
    for (const client of [before, after]) {
      expect(await memberships(client)).toEqual(['rice']);
      expect(await refused(client.post('/api/v2/auth/switch-tenant', { tenantId: 'wool' }))).toBe('403 not_a_member');
    }
    expect(await refused(TraceabilityClient.login(world.baseUrl, email, givenByRice, 'wool'))).toBe('403 not_a_member');

    const mail = await eventually('the link, sent to the mailbox by itself', () => mailbox.mails.find(({ to }) => to === email));
    const token = /\n([\w-]{43})\n/.exec(mail.text)![1]!;
    await anonymous().post('/api/v2/auth/password/reset', { token, password: PASSWORD });
    expect(await refused(before.get('/api/v2/auth/me'))).toBe('401 invalid_token');
    const { accessToken } = await anonymous().post<{ accessToken: string }>('/api/v2/auth/login', { email, password: PASSWORD });
    expect(await memberships(new TraceabilityClient(world.baseUrl, { accessToken }))).toEqual(['rice', 'wool']);
    expect(await refused(TraceabilityClient.login(world.baseUrl, email, PASSWORD, 'wool'))).toBe('not refused');
  });

  describe('API keys', () => {
    type Key = Json & { readonly id: string; readonly secret: string };
    const create = (body: object): Promise<Key> => admin.post('/api/v1/api-keys', body);

    it('shows the secret once and every field of the record', async () => {
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

    it('opens webhooks, lots and events, and nothing of authentication or of keys', async () => {
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

    it('rotates with an overlap, without one at once, and revokes at once', async () => {
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

    it('ends when it expires', async () => {
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

    it("gives 404 for another tenant's key, and keys to administrators only", async () => {
      const { id } = await create({ name: 'foreign', roles: ['AUDITOR'] });
      const rice = await world.admin('rice');
      expect(await refused(rice.request('DELETE', `/api/v1/api-keys/${id}`))).toBe('404 api_key_not_found');
      expect(await refused(rice.post(`/api/v1/api-keys/${id}/rotate`, {}))).toBe('404 api_key_not_found');
      const [operator] = Object.values(world.tenant('wool').actors);
      const them = await TraceabilityClient.login(world.baseUrl, operator!.email, operator!.password, 'wool');
      expect(await refused(them.get('/api/v1/api-keys'))).toBe('403 role_required');
    });

    it('never reaches further than who made it', async () => {
      await invite({
        email: 'narrow@wool.example',
        password: PASSWORD,
        roles: ['TENANT_ADMIN'],
        roleScopes: { TENANT_ADMIN: ['wool_shearing'] },
      });
      const narrow = await TraceabilityClient.login(world.baseUrl, 'narrow@wool.example', PASSWORD);
      const body = { name: 'wide', roles: ['OPERATOR'] };
      expect(await refused(narrow.post('/api/v1/api-keys', body))).toBe('422 invalid_content');
      await narrow.post('/api/v1/api-keys', { ...body, roleScopes: { OPERATOR: ['wool_shearing'] } });
    });
  });

  describe('organisations', () => {
    it('keeps profile, sites and wallets, and checks the digits', async () => {
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

    it('lets its own ADMIN change it, and no other', async () => {
      const [own, other] = await Promise.all(
        ['Own', 'Other'].map((name) => admin.post<Json & { id: string }>('/api/v1/organisations', { name })),
      );
      await invite({ email: 'orgadmin@wool.example', password: PASSWORD, roles: ['ADMIN'], orgId: own!.id });
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

    it('opens a tenant whose contract its operator deploys by the prepared transaction', async () => {
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
      const cocoa = await TraceabilityClient.login(world.baseUrl, 'admin@cocoa.example', PASSWORD);
      const { data } = await cocoa.get<{ data: Member[] }>('/api/v2/members');
      expect(data.map(({ onChain }) => onChain)).toEqual([{ roles: ['ADMIN', 'OPERATOR_ALL', 'RECALLER'], processes: [], agrees: true }]);
      const again = { wallet: wallet.address };
      expect(await refused(platform.post('/api/v2/tenants/cocoa/contract/prepare', again))).toBe('409 contract_exists');
    });

    it('suspends: members and keys are out at once, and in again afterwards', async () => {
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

    it('is for platform administrators, and they are for the platform', async () => {
      expect(await refused(admin.get('/api/v2/tenants'))).toBe('403 platform_admin_required');
      expect(await refused(platform.get('/api/v2/members'))).toBe('403 tenant_required');
      expect(await refused(platform.post('/api/v2/tenants/nowhere/suspend'))).toBe('404 tenant_not_found');
    });
  });

  describe('the audit log', () => {
    it('holds who did what, for those who may read it', async () => {
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

    it('names each change of keys, members, grants, webhooks and process maps, once, with who made it', async () => {
      const began = Date.now();
      const { sub } = await admin.get<{ sub: string }>('/api/v2/auth/me');
      const key = await admin.post<{ id: string }>('/api/v1/api-keys', { name: 'noted', roles: ['OPERATOR'] });
      await admin.post(`/api/v1/api-keys/${key.id}/rotate`, { overlapSeconds: 60 });
      await admin.request('DELETE', `/api/v1/api-keys/${key.id}`);
      await admin.request('DELETE', `/api/v1/api-keys/${key.id}`);
      const wallet = Wallet.createRandom().address;
      const { id } = await invite({ email: 'noted@wool.example', password: PASSWORD, roles: ['OPERATOR'], wallet });
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
      const entries = [...(await of(key.id)), ...(await of(id)), ...(await of(hook.id)), ...(await of(map!.name))];
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
      const told = JSON.stringify(entries);
      for (const secret of [PASSWORD, hook.secret, 'a-token-in-the-path', '_secret', 'tsk_']) expect(told).not.toContain(secret);
      const rice = await world.admin('rice');
      for (const subject of [key.id, hook.id])
        expect((await rice.get<{ total: number }>(`/api/v1/audit?subject=${subject}`)).total).toBe(0);
    });

    it('is never changed, not even by the system', async () => {
      for (const statement of [`update identity.audit_entry set action = 'x'`, 'delete from identity.audit_entry'])
        await expect(asSystem((tx) => tx.sql(statement))).rejects.toThrow(/permission denied|append-only/);
    });
  });
});
