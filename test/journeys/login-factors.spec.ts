import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type HDNodeWallet, Wallet } from 'ethers';
import { type ApiProblem, type Json, TraceabilityClient } from '#client';
import { signedMessage } from '../harness/confirm-wallet.js';
import { eventually } from '../harness/eventually.js';
import { givePassword } from '../harness/give-password.js';
import { SmtpSink } from '../harness/smtp-sink.js';
import { World } from '../harness/world.js';

const PASSWORD = 'correct horse battery';

interface Invited extends Json {
  readonly id: string;
}
type Signer = Wallet | HDNodeWallet;

/** docs/spec/api.md#siwe: what somebody signs in with is bound only with a proof that they have it. */
describe('the wallet, password and e-mail address of somebody else', () => {
  let world: World;
  let mailbox: SmtpSink;
  let rice: TraceabilityClient;
  let wool: TraceabilityClient;

  beforeAll(async () => {
    mailbox = await SmtpSink.start();
    world = await World.start({ SMTP_URL: `smtp://localhost:${mailbox.port}`, MAIL_FROM: 'trace@example.org' });
    [rice, wool] = await Promise.all([world.admin('rice'), world.admin('wool')]);
  });
  afterAll(async () => {
    await world?.close();
    await mailbox?.close();
  });

  const anonymous = (): TraceabilityClient => new TraceabilityClient(world.baseUrl);
  const login = (email: string, password = PASSWORD): Promise<TraceabilityClient> =>
    TraceabilityClient.login(world.baseUrl, email, password);
  const refused = (call: Promise<unknown>): Promise<string> =>
    call.then(
      () => 'not refused',
      ({ status, code }: ApiProblem) => `${status} ${code}`,
    );
  const signed = (wallet: Signer): Promise<{ message: string; signature: string }> => signedMessage(world, wallet);
  type Payload = { readonly tid: string; readonly sub: string; readonly memberships: readonly { readonly slug: string }[] };
  const payloadOf = (accessToken: string): Payload =>
    JSON.parse(Buffer.from(accessToken.split('.')[1]!, 'base64url').toString()) as Payload;
  const signInByPassword = async ({ email, password }: { readonly email: string; readonly password: string }): Promise<Json & Payload> => {
    const { accessToken, ...rest } = await anonymous().post<Json & { accessToken: string }>('/api/v2/auth/login', { email, password });
    return { ...rest, ...payloadOf(accessToken) };
  };
  /** @returns what the token of the session says */
  const signIn = async (wallet: Signer, tenantId?: string): Promise<Payload> => {
    const { accessToken } = await anonymous().post<{ accessToken: string }>('/api/v2/auth/siwe', {
      ...(await signed(wallet)),
      ...(tenantId && { tenantId }),
    });
    return payloadOf(accessToken);
  };
  const invite = (body: object, by = rice): Promise<Invited> => by.post('/api/v2/members', { roles: ['OPERATOR'], ...body });
  const inviteUser = async (body: { readonly email: string; readonly [field: string]: unknown }, by = rice): Promise<Invited> => {
    const invited = await invite(body, by);
    await givePassword(world, body.email, PASSWORD);
    return invited;
  };
  const invitationsTo = (address: string) =>
    mailbox.mails.filter(({ to, text }) => to === address && text.includes('has made you a member'));
  /** The newest invitation, and the link in it. */
  const mailTo = async (address: string, after = 0): Promise<{ text: string; token: string | undefined }> => {
    const { text } = await eventually(
      `an invitation to ${address}`,
      () => invitationsTo(address).length > after && invitationsTo(address).at(-1)!,
    );
    return { text, token: /#([\w-]{43})\n/.exec(text)?.[1] };
  };
  const memberOf = (id: string): Promise<Json> => rice.get(`/api/v2/members/${id}`);

  describe('a proposed wallet', () => {
    it("signs in for nobody before the member's session and the wallet's signature confirm it", async () => {
      const [first, second] = [Wallet.createRandom(), Wallet.createRandom()];
      const { id, ...made } = await inviteUser({ email: 'two@rice.example', wallet: first.address });
      expect(made).toMatchObject({ wallet: null, proposedWallet: first.address });
      for (const tenant of [undefined, 'rice']) expect(await refused(signIn(first, tenant))).toBe('401 unknown_wallet');
      const them = await login('two@rice.example');
      expect(await them.get<Json>('/api/v2/auth/me')).toMatchObject({ wallet: null, proposedWallet: first.address });
      expect(await refused(them.post('/api/v2/auth/wallet', await signed(second)))).toBe('409 wallet_not_proposed');
      await them.post('/api/v2/auth/wallet', await signed(first));
      expect(await signIn(first)).toMatchObject({ tid: 'rice', sub: id });

      await rice.request('PATCH', `/api/v2/members/${id}`, { wallet: second.address });
      expect(await memberOf(id)).toMatchObject({ wallet: first.address, proposedWallet: second.address });
      expect(await signIn(first)).toMatchObject({ sub: id });
      expect(await refused(signIn(second, 'rice'))).toBe('401 unknown_wallet');
      const proof = await signed(second);
      await them.post('/api/v2/auth/wallet', proof);
      expect(await refused(them.post('/api/v2/auth/wallet', proof))).toBe('401 siwe_unknown_nonce');
      expect(await signIn(second)).toMatchObject({ sub: id });
      expect(await refused(signIn(first))).toBe('401 unknown_wallet');
      const { data } = await rice.get<{ data: Json[] }>(`/api/v1/audit?action=member.wallet_confirmed&subject=${id}`);
      expect(data).toMatchObject([
        { actorId: id, details: { before: first.address, wallet: second.address } },
        { details: { before: null } },
      ]);
    });

    it('is withdrawn by proposing the present one or none; none takes effect at once', async () => {
      const wallet = Wallet.createRandom();
      const { id } = await inviteUser({ email: 'withdrawn@rice.example', wallet: wallet.address });
      const them = await login('withdrawn@rice.example');
      await rice.request('PATCH', `/api/v2/members/${id}`, { wallet: null });
      expect(await refused(them.post('/api/v2/auth/wallet', await signed(wallet)))).toBe('409 wallet_not_proposed');
    });

    it('does not let its proposer sign in as another administrator', async () => {
      const own = Wallet.createRandom();
      const { id } = await inviteUser({ email: 'chief@rice.example', roles: ['TENANT_ADMIN'] });
      await rice.request('PATCH', `/api/v2/members/${id}`, { wallet: own.address });
      for (const tenant of [undefined, 'rice']) expect(await refused(signIn(own, tenant))).toBe('401 unknown_wallet');
      expect(await refused(rice.post('/api/v2/auth/wallet', await signed(own)))).toBe('409 wallet_not_proposed');
    });

    it('signs in for nobody who has not signed in before, known elsewhere or not: the administrator learns nothing by it', async () => {
      const { admin } = world.tenant('wool');
      for (const email of ['wallet-only@rice.example', admin.email]) {
        const wallet = Wallet.createRandom();
        const { id } = await invite({ email, wallet: wallet.address });
        for (const tenant of [undefined, 'rice', 'wool']) expect(await refused(signIn(wallet, tenant))).toBe('401 unknown_wallet');
        await rice.request('DELETE', `/api/v2/members/${id}`);
      }
    });

    it("does not change what the wallet's owner signs in to when another tenant proposes it", async () => {
      const farmer = new Wallet(world.tenant('rice').actors['farmA']!.privateKey);
      const before = await signIn(farmer);
      await inviteUser({ email: 'with-password@wool.example', wallet: farmer.address }, wool);
      await invite({ email: 'without@wool.example', wallet: farmer.address }, wool);
      expect(await signIn(farmer)).toMatchObject({ tid: 'rice', sub: before.sub });
      expect(await signIn(farmer, 'rice')).toMatchObject({ tid: 'rice', sub: before.sub });
    });
  });

  describe('of another tenant', () => {
    const shape = (answer: Json): unknown => Object.fromEntries(Object.entries(answer).map(([key, value]) => [key, value === null]));

    it('are not shown by an invitation: answer, second request and third are the same for a person who is known to the service and for one who is not', async () => {
      const { admin } = world.tenant('wool');
      const answers: unknown[] = [];
      for (const email of [admin.email, 'nobody-knows@rice.example']) {
        const invited = await invite({ email, name: 'As we call them' });
        const accept = { token: 'x'.repeat(43), password: PASSWORD };
        answers.push([
          shape(invited),
          shape(await memberOf(invited.id)),
          (await memberOf(invited.id))['name'],
          await refused(invite({ email })),
          await refused(anonymous().post('/api/v2/auth/invitations/accept', accept)),
          await refused(login(email)),
          await refused(TraceabilityClient.login(world.baseUrl, email, PASSWORD, 'rice')),
          await refused(rice.request('PATCH', `/api/v2/members/${invited.id}`, { roles: ['AUDITOR'] })),
          await refused(rice.post(`/api/v2/members/${invited.id}/grants/prepare`)),
        ]);
        expect(JSON.stringify(invited)).not.toMatch(/token|invitation/);
        await rice.request('DELETE', `/api/v2/members/${invited.id}`);
      }
      expect(answers[0]).toEqual(answers[1]);
      expect((await rice.get<{ data: Json[] }>('/api/v2/members?status=all&search=wool%20administrator')).data).toEqual([]);
    });

    it('see no name that this one gives to a person, nor does a token for them', async () => {
      const email = 'two-names@rice.example';
      const { id } = await inviteUser({ email, name: 'Known in rice' });
      await invite({ email, name: 'Known in wool' }, wool);
      await invite({ email: 'no-name@rice.example', name: 'Never said elsewhere' });
      const nameless = await invite({ email: 'no-name@rice.example' }, wool);
      const named = async (by: TraceabilityClient): Promise<unknown> => (await by.get<Json>(`/api/v2/members/${id}`))['name'];
      expect([await named(rice), await named(wool), nameless['name']]).toEqual(['Known in rice', 'Known in wool', '']);
      const calledIn = async (tenant: string): Promise<unknown> =>
        (await (await TraceabilityClient.login(world.baseUrl, email, PASSWORD, tenant)).get<Json>('/api/v2/auth/me'))['username'];
      expect([await calledIn('rice'), await calledIn('wool')]).toEqual(['Known in rice', 'Known in wool']);
    });

    it('get what opens something in their mailbox only: a link for who has no password, none for who has one', async () => {
      const { admin } = world.tenant('wool');
      const before = invitationsTo(admin.email).length;
      await invite({ email: admin.email });
      await invite({ email: 'linked@rice.example' });
      expect(await mailTo(admin.email, before)).toMatchObject({
        token: undefined,
        text: expect.stringContaining('Sign in with your password'),
      });
      const { token } = await mailTo('linked@rice.example');
      await anonymous().post('/api/v2/auth/invitations/accept', { token, password: PASSWORD });
      expect(await refused(anonymous().post('/api/v2/auth/invitations/accept', { token, password: PASSWORD }))).toBe(
        '404 invitation_not_found',
      );
      expect(await signInByPassword({ email: 'linked@rice.example', password: PASSWORD })).toMatchObject({ tid: 'rice' });
    });

    it('sign in as before, and are not watched, until they sign in to the tenant that named them', async () => {
      const email = 'watched@wool.example';
      const { id } = await inviteUser({ email }, wool);
      const they = { email, password: PASSWORD };
      const first = await signInByPassword(they);
      expect(first).toMatchObject({ partial: false, tid: 'wool', stale: false });
      await invite({ email, roles: ['TENANT_ADMIN'] });
      const refreshed = await anonymous().post<Json>('/api/v2/auth/refresh', { refreshToken: first['refreshToken'] });
      expect(refreshed).toMatchObject({ partial: false, stale: false });
      expect(await signInByPassword(they)).toMatchObject({ partial: false, tid: 'wool', stale: false });
      expect(await refused(login(email, 'a wrong password'))).toBe('401 invalid_credentials');
      await givePassword(world, email, PASSWORD);
      const seen = async (by: TraceabilityClient): Promise<unknown[]> =>
        (await by.get<{ data: Json[] }>(`/api/v1/audit?subject=${id}`)).data.map(({ action }) => action);
      await eventually('the failed login', async () => (await seen(wool)).includes('login.failed'));
      expect(await seen(wool)).toEqual(expect.arrayContaining(['password.changed', 'password.link_requested', 'login.succeeded']));
      expect(await seen(rice)).toEqual(['member.added']);

      const there = await TraceabilityClient.login(world.baseUrl, email, PASSWORD, 'rice');
      expect(await there.get<Json>('/api/v2/auth/me')).toMatchObject({ tid: 'rice', stale: false });
      expect(await seen(rice)).toEqual(['login.succeeded', 'member.added']);
      expect(await signInByPassword(they)).toMatchObject({ partial: true, tid: null });
    });
  });

  it('are not in the hand of who held a link before: a change of the membership or a confirmed wallet ends it', async () => {
    const accept = (token: string | undefined): Promise<string> =>
      refused(anonymous().post('/api/v2/auth/invitations/accept', { token, password: PASSWORD }));
    const raised = await invite({ email: 'raised@rice.example' });
    const { token: first } = await mailTo('raised@rice.example');
    await rice.request('PATCH', `/api/v2/members/${raised.id}`, { roles: ['TENANT_ADMIN'] });
    expect(await accept(first)).toBe('404 invitation_not_found');
    await rice.request('DELETE', `/api/v2/members/${raised.id}`);
    await invite({ email: 'raised@rice.example', roles: ['TENANT_ADMIN'] });
    expect(await accept(first)).toBe('404 invitation_not_found');
    expect(await accept((await mailTo('raised@rice.example', 1)).token)).toBe('not refused');
    const wallet = Wallet.createRandom();
    await inviteUser({ email: 'confirmed@rice.example', wallet: wallet.address });
    await (await login('confirmed@rice.example')).post('/api/v2/auth/wallet', await signed(wallet));
    expect(await accept((await mailTo('confirmed@rice.example')).token)).toBe('404 invitation_not_found');
  });

  it('are invited once when two administrators do it at the same time', async () => {
    const atOnce = async (email: string): Promise<{ id: string; roles: unknown }> => {
      const roles = ['OPERATOR', 'AUDITOR', 'COMPLIANCE', 'ADMIN'];
      const calls = Array.from({ length: 12 }, (_, i) => invite({ email, roles: [roles[i % 4]] }));
      const outcomes = await Promise.allSettled(calls);
      const made = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
      const others = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [(outcome.reason as ApiProblem).code] : []));
      expect(made).toHaveLength(1);
      expect(new Set(others)).toEqual(new Set(['already_member']));
      expect(await memberOf(made[0]!.id)).toMatchObject({ roles: made[0]!['roles'] });
      return { id: made[0]!.id, roles: made[0]!['roles'] };
    };
    const { id } = await atOnce('at-once@rice.example');
    await rice.request('DELETE', `/api/v2/members/${id}`);
    expect((await atOnce('at-once@rice.example')).id).toBe(id);
  });

  it('a wallet is of the member who proves it, whatever organisation or member was said to have it', async () => {
    const [theirs, own] = await Promise.all(
      ['Said to have it', 'Has it'].map((name) => rice.post<Invited>('/api/v1/organisations', { name })),
    );
    const wallet = Wallet.createRandom();
    const { address } = wallet;
    await rice.post(`/api/v1/organisations/${theirs!.id}/wallets`, { address });
    const said = await inviteUser({ email: 'said@rice.example' });
    await world.database.unitOfWork.asSystem((tx) =>
      tx.sql('update identity.member set wallet = $2 where user_id = $1', [said.id, address]),
    );
    const { id } = await inviteUser({ email: 'proves@rice.example', orgId: own!.id, wallet: address });
    await (await login('proves@rice.example')).post('/api/v2/auth/wallet', await signed(wallet));
    expect(await signIn(wallet)).toMatchObject({ sub: id });
    const walletsOf = async ({ id: orgId }: Invited): Promise<unknown> =>
      (await rice.get<Json>(`/api/v1/organisations/${orgId}`))['wallets'];
    expect([await walletsOf(theirs!), await walletsOf(own!)]).toMatchObject([[], [{ address }]]);
    expect([await memberOf(said.id), await memberOf(id)]).toMatchObject([{ wallet: null }, { wallet: address }]);
  });

  it('the wallet of a member stays outside of other organisations', async () => {
    const { id } = await rice.post<{ id: string }>('/api/v1/organisations', { name: 'Takes wallets' });
    const { address } = world.tenant('rice').actors['farmA']!;
    expect(await refused(rice.post(`/api/v1/organisations/${id}/wallets`, { address }))).toBe('409 wallet_taken');
  });
});
