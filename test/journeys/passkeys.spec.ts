import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { identityPersistence, InviteMember } from '#identity';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { Authenticator, type Ceremony } from '../harness/authenticator.js';
import { type Answer, IdentityWorld, PASSWORD } from './identity-world.js';

const codeOf = ({ status, body }: Answer): string => `${status}${body?.code ? ` ${body.code}` : ''}`;
const readOf = (token: string): any => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());

describe('passkeys', () => {
  let database: TestDatabase;
  let world: IdentityWorld;
  let rice: { id: string };
  let wool: { id: string };
  let people = 0;
  let email: string;
  let userId: string;

  beforeAll(async () => {
    database = await cloneTestDatabase([identityPersistence]);
    world = await IdentityWorld.start(database.endpoint);
    rice = await world.tenants.create({ slug: 'rice', name: 'Rice Chain' });
    wool = await world.tenants.create({ slug: 'wool', name: 'Wool Chain' });
  });
  afterAll(async () => {
    await world?.stop();
    await database?.drop();
  });
  beforeEach(async () => {
    email = `person${++people}@rice.example`;
    userId = (await world.users.create({ email, name: 'Person', password: PASSWORD })).id;
    await world.members.add(rice.id, userId, { roles: ['OPERATOR'] });
  });

  const session = async (): Promise<string> => (await world.login(email, PASSWORD, 'rice')).body.accessToken;
  const registration = async (token: string, password: string | undefined = PASSWORD): Promise<any> =>
    (await world.auth('passkeys/registration/options', { password }, token)).body.publicKey;
  const add = async (device: Authenticator, attack?: Ceremony, token?: string): Promise<Answer> => {
    const bearer = token ?? (await session());
    const response = device.create(await registration(bearer), attack);
    return world.auth('passkeys/registration/verify', { response, name: 'Phone' }, bearer);
  };
  const options = async (): Promise<any> => (await world.auth('passkeys/authentication/options', {})).body.publicKey;
  const verify = (response: unknown, more: object = {}): Promise<Answer> =>
    world.auth('passkeys/authentication/verify', { response, ...more });
  const signIn = async (device: Authenticator, attack?: Ceremony, more: object = {}): Promise<Answer> =>
    verify(device.get(await options(), attack), more);
  const device = async (counter = 0): Promise<Authenticator> => {
    const made = new Authenticator({ counter });
    expect(codeOf(await add(made))).toBe('200');
    return made;
  };
  const actions = (): Promise<string[]> =>
    database.unitOfWork.asSystem(async (tx) =>
      (await tx.sql<{ action: string }>('select action from identity.audit_entry where subject = $1 order by seq', [userId])).map(
        ({ action }) => action,
      ),
    );

  describe('sign in', () => {
    it('alone, to the tenant that they were made in, and are listed and recorded', async () => {
      await world.members.add(wool.id, userId, { roles: ['TENANT_ADMIN'] });
      const phone = await device();
      const { body } = await signIn(phone);
      expect(readOf(body.accessToken)).toMatchObject({ sub: userId, tid: 'rice', isPlatformAdmin: false });
      expect((await world.get('/api/v1/asked/member', body.accessToken)).body).toMatchObject({ id: userId, roles: ['OPERATOR'] });
      const memberships = await world.get('/api/v2/auth/memberships', body.accessToken);
      expect(memberships.body.map(({ slug }: { slug: string }) => slug)).toEqual(['rice']);
      for (const tenantId of ['wool', wool.id])
        expect(codeOf(await world.auth('switch-tenant', { tenantId }, body.accessToken))).toBe('403 not_a_member');
      expect((await world.auth('refresh', { refreshToken: body.refreshToken })).status).toBe(200);
      const { body: listed } = await world.get('/api/v2/auth/passkeys', body.accessToken);
      expect(listed.data).toMatchObject([{ id: phone.id, name: 'Phone', backedUp: false, lastUsedAt: expect.any(String) }]);
      expect(await actions()).toEqual(['login.succeeded', 'passkey.added', 'login.succeeded']);
    });

    it('with a challenge of 48 bytes, so that none can be the 32 bytes of a batch of calls', async () => {
      expect(Buffer.from((await options()).challenge, 'base64url')).toHaveLength(48);
    });

    it.each([
      ['on the page of another service', { origin: 'https://evil.example' }, '401 passkey_wrong_origin'],
      ['for another domain', { rpId: 'evil.example' }, '401 passkey_wrong_domain'],
      ['for a challenge of nobody', { challenge: Buffer.alloc(48).toString('base64url') }, '401 passkey_challenge_unknown'],
      ['without the user being verified', { verified: false }, '401 passkey_not_verified'],
      ['as a registration', { type: 'webauthn.create' }, '401 passkey_invalid'],
    ])('not %s', async (_what, attack, code) => {
      expect(codeOf(await signIn(await device(), attack))).toBe(code);
    });

    it('not with an answer that was used, changed, or signed by another key', async () => {
      const phone = await device();
      const answer = phone.get(await options());
      expect((await verify(answer)).status).toBe(200);
      expect(codeOf(await verify(answer))).toBe('401 passkey_challenge_unknown');
      const other = new Authenticator().get(await options());
      expect(codeOf(await verify(other))).toBe('401 passkey_unknown');
      expect(
        codeOf(
          await verify({
            ...(other as object),
            ...{ id: phone.id, rawId: phone.id },
            response: new Authenticator().get(await options())['response'],
          }),
        ),
      ).toBe('401 passkey_invalid');
    });

    it('not to another tenant', async () => {
      const phone = await device();
      expect(codeOf(await signIn(phone, {}, { tenantId: 'wool' }))).toBe('403 passkey_of_other_tenant');
      expect((await signIn(phone, {}, { tenantId: 'rice' })).status).toBe(200);
    });

    it('not when the counter goes back, because somebody uses a copy; 0 is a counter that does not count', async () => {
      const phone = await device(5);
      const copy = new Authenticator({ copyOf: phone, counter: phone.counter });
      expect((await signIn(phone)).status).toBe(200);
      expect(codeOf(await signIn(copy))).toBe('401 passkey_cloned');
      expect((await signIn(phone)).status).toBe(200);
      expect(await actions()).toContain('passkey.clone_suspected');
      const synced = await device(0);
      for (let time = 0; time < 3; time += 1) expect((await signIn(synced)).status).toBe(200);
    });

    it('not after the challenge has expired, nor after the membership has ended', async () => {
      const phone = await device();
      const late = phone.get(await options());
      world.clock.forward(301);
      expect(codeOf(await verify(late))).toBe('401 passkey_challenge_unknown');
      await world.members.revoke(rice.id, userId);
      expect(codeOf(await signIn(phone))).toBe('401 passkey_unknown');
    });

    it.each([
      ['nothing', {}],
      ['no text', { id: 'a', rawId: 'a', type: 'public-key', response: { clientDataJSON: 7 } }],
      ['no JSON', { id: 'a', rawId: 'a', type: 'public-key', response: { clientDataJSON: 'aaaa' } }],
      ['two ids', { id: 'a', rawId: 'b', type: 'public-key', response: { clientDataJSON: 'e30' } }],
    ])('not with %s', async (_what, response) => {
      expect(codeOf(await verify(response))).toBe('400 passkey_malformed');
    });
  });

  describe('are added', () => {
    it('after the password only', async () => {
      const bearer = await session();
      for (const password of [undefined, 'wrong', 'x'.repeat(1024)])
        expect(codeOf(await world.auth('passkeys/registration/options', { password }, bearer))).toBe('401 wrong_password');
    });

    it.each([
      ['another page', { origin: 'http://localhost:3001' }, '401 passkey_wrong_origin'],
      ['another domain', { rpId: 'evil.example' }, '401 passkey_wrong_domain'],
      ['another challenge', { challenge: 'AAAA' }, '401 passkey_challenge_unknown'],
      ['no verified user', { verified: false }, '401 passkey_not_verified'],
      ['a sign-in', { type: 'webauthn.get' }, '401 passkey_invalid'],
    ])('not with %s', async (_what, attack, code) => {
      expect(codeOf(await add(new Authenticator(), attack))).toBe(code);
    });

    it("not with somebody else's challenge, nor twice", async () => {
      const phone = new Authenticator();
      const theirs = await registration(await session());
      email = `person${++people}@rice.example`;
      userId = (await world.users.create({ email, name: 'Other', password: PASSWORD })).id;
      await world.members.add(rice.id, userId, { roles: ['OPERATOR'] });
      const body = { response: phone.create(theirs), name: 'Phone' };
      expect(codeOf(await world.auth('passkeys/registration/verify', body, await session()))).toBe('401 passkey_challenge_unknown');
      expect(codeOf(await add(phone))).toBe('200');
      expect(codeOf(await add(phone))).toBe('409 passkey_taken');
    });

    it('up to 20', async () => {
      const bearer = await session();
      for (let made = 0; made < 20; made += 1) expect((await add(new Authenticator(), {}, bearer)).status).toBe(200);
      expect(codeOf(await world.auth('passkeys/registration/options', { password: PASSWORD }, bearer))).toBe('409 too_many_passkeys');
    });

    it('not by an API key', async () => {
      const { text } = await world.keys.create(rice.id, { name: 'ERP', roles: ['OPERATOR'] }, null);
      const headers = { 'x-api-key': text };
      for (const path of ['registration/options', 'registration/verify'])
        expect(codeOf(await world.call('POST', `/api/v2/auth/passkeys/${path}`, { body: {}, headers }))).toBe('403 bearer_required');
    });
  });

  describe('accept an invitation', () => {
    const invited = async (): Promise<string> => {
      email = `invited${++people}@rice.example`;
      const by = { kind: 'operator', id: null } as const;
      const { userId: id, invitation } = await world.app.get(InviteMember).add(rice.id, { email, roles: ['OPERATOR'] }, by);
      userId = id;
      return invitation!.token;
    };
    const invitation = async (token: string): Promise<any> => (await world.auth('invitations/passkey/options', { token })).body.publicKey;
    const accept = (token: string, response: unknown): Promise<Answer> =>
      world.auth('invitations/passkey/verify', { token, response, name: 'Phone' });

    it('without any password: the member is signed in at once', async () => {
      const token = await invited();
      const phone = new Authenticator();
      const { body } = await accept(token, phone.create(await invitation(token)));
      expect((await world.get('/api/v1/asked/member', body.accessToken)).body).toMatchObject({ id: userId });
      expect(codeOf(await world.auth('invitations/passkey/options', { token }))).toBe('404 invitation_not_found');
      expect((await signIn(phone)).status).toBe(200);
      expect(await actions()).toEqual(['member.added', 'passkey.added', 'invitation.accepted', 'login.succeeded', 'login.succeeded']);
    });

    it('once, of two devices at the same time', async () => {
      const token = await invited();
      const answers = [new Authenticator(), new Authenticator()];
      const made = await Promise.all(answers.map(async (one) => one.create(await invitation(token))));
      const codes = (await Promise.all(made.map((one) => accept(token, one)))).map(codeOf);
      expect(codes.toSorted()).toEqual(['200', '404 invitation_not_found']);
    });

    it('and add another within ten minutes after signing in; the last one cannot be deleted', async () => {
      const token = await invited();
      const phone = new Authenticator();
      const { body } = await accept(token, phone.create(await invitation(token)));
      const remove = (id: string): Promise<Answer> => world.call('DELETE', `/api/v2/auth/passkeys/${id}`, { bearer: body.accessToken });
      expect(codeOf(await remove(phone.id))).toBe('409 last_passkey');
      const laptop = new Authenticator();
      expect(codeOf(await add(laptop, {}, body.accessToken))).toBe('200');
      const elsewhere = (await signIn(phone)).body;
      expect(codeOf(await remove(phone.id))).toBe('204');
      expect(codeOf(await remove(phone.id))).toBe('404 passkey_not_found');
      expect(codeOf(await signIn(phone))).toBe('401 passkey_unknown');
      expect(codeOf(await world.get('/api/v1/asked/member', elsewhere.accessToken))).toBe('401 invalid_token');
      expect((await world.get('/api/v1/asked/member', body.accessToken)).status).toBe(200);
      const { body: later } = await signIn(laptop);
      world.clock.forward(601);
      expect(codeOf(await world.auth('passkeys/registration/options', {}, later.accessToken))).toBe('403 recent_sign_in_required');
      expect(await actions()).toContain('passkey.removed');
    });

    it.each(['', 'x'.repeat(43)])('not with the token %j', async (token) => {
      expect(codeOf(await world.auth('invitations/passkey/options', { token }))).toBe('404 invitation_not_found');
    });
  });
});
