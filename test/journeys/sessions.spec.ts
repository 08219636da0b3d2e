import { Global, Module } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Wallet } from 'ethers';
import { SiweMessage } from 'siwe';
import { JsonRpc } from '#chain';
import { startTestAnvil, type TestAnvil } from '#chain/testing';
import { identityPersistence } from '#identity';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { FreshIdentity } from './siwe-world.js';
import { type Answer, IdentityWorld, PASSWORD } from './identity-world.js';

const PATH = '/api/v2/auth/sessions';
const DAY = 86_400;

/** docs/spec/api.md#sessions. */
describe('sessions of one’s own', () => {
  let anvil: TestAnvil;
  let database: TestDatabase;
  let world: IdentityWorld;
  let tenants: readonly { id: string }[];
  let people = 0;
  let email: string;
  let userId: string;
  const wallet = Wallet.createRandom();

  beforeAll(async () => {
    [anvil, database] = await Promise.all([startTestAnvil(), cloneTestDatabase([identityPersistence])]);
    @Global()
    @Module({ providers: [{ provide: JsonRpc, useValue: new JsonRpc({ urls: [anvil.url], timeoutMs: 5_000 }) }], exports: [JsonRpc] })
    class ChainOfTheTest {}
    world = await IdentityWorld.start(database.endpoint, { extra: ChainOfTheTest });
    tenants = [
      await world.tenants.create({ slug: 'rice', name: 'Rice Chain' }),
      await world.tenants.create({ slug: 'wool', name: 'Wool Chain' }),
    ];
  });
  afterAll(async () => {
    await world?.stop();
    await database?.drop();
    await anvil?.stop();
  });
  beforeEach(async () => {
    email = `person${++people}@rice.example`;
    userId = (await world.users.create({ email, name: 'Person', password: PASSWORD })).id;
    await world.members.add(tenants[0]!.id, userId, { roles: ['OPERATOR'] });
  });

  const login = async (of = email, tenant?: string): Promise<string> =>
    (await world.login(of, PASSWORD, tenant)).body.accessToken as string;
  const asks = async (token: string): Promise<number> => (await world.get('/api/v1/asked/member', token)).status;
  const list = async (token: string): Promise<any[]> => {
    const { status, body } = await world.get(PATH, token);
    expect([status, body]).toMatchObject([200, {}]);
    return body.data;
  };
  const end = (token: string, id: string): Promise<Answer> => world.call('DELETE', `${PATH}/${id}`, { bearer: token });
  const current = async (token: string): Promise<string> => (await list(token)).find((session) => session.current).id;
  const revocations = async (): Promise<number> =>
    database.unitOfWork.asSystem(
      async (tx) => (await tx.sql(`select 1 from identity.audit_entry where subject = $1 and action = 'session.revoked'`, [userId])).length,
    );

  it('are listed with how, where and when, without those that have ended', async () => {
    const [here, elsewhere, over] = [await login(), await login(), await login()];
    await world.auth('logout', {}, over);
    const seen = await list(here);
    expect(seen).toHaveLength(2);
    expect(seen.filter((session) => session.current)).toMatchObject([
      { openedBy: 'password', wallet: null, tenant: 'Rice Chain', browser: 'Node.js', system: null },
    ]);
    expect((await list(elsewhere)).find((session) => session.current).id).not.toBe(await current(here));
    // What was not used for 30 days cannot be renewed any more.
    world.clock.forward(31 * DAY);
    const later = await login();
    expect(await list(later)).toHaveLength(1);
    world.clock.forward(-31 * DAY);
  });

  it('are ended one at a time, or all but this one, at once', async () => {
    const [here, lost, third] = [await login(), await login(), await login()];
    expect((await end(here, await current(lost))).status).toBe(204);
    expect([await asks(here), await asks(lost), await asks(third)]).toEqual([200, 401, 200]);
    expect((await world.call('DELETE', PATH, { bearer: here })).status).toBe(204);
    expect([await asks(here), await asks(third)]).toEqual([200, 401]);
    expect(await list(here)).toHaveLength(1);
    expect(await revocations()).toBe(2);
  });

  it('are nobody else’s: another’s, an ended or an unknown one is not found', async () => {
    const [here, ended] = [await login(), await login()];
    const endedId = await current(ended);
    await end(here, endedId);
    const other = `person${++people}@rice.example`;
    const { id } = await world.users.create({ email: other, name: 'Other', password: PASSWORD });
    await world.members.add(tenants[0]!.id, id, { roles: ['TENANT_ADMIN'] });
    const theirs = await login(other);
    for (const unknown of [endedId, await current(theirs), 'no-uuid', '00000000-0000-4000-8000-000000000000'])
      expect((await end(here, unknown)).body).toMatchObject({ status: 404, code: 'session_not_found' });
    expect(await asks(theirs)).toBe(200);
  });

  it('of a wallet reach those of the wallet only: who binds one in a tenant learns nothing of another tenant', async () => {
    await world.members.add(tenants[1]!.id, userId, { roles: ['OPERATOR'], wallet: wallet.address });
    const rice = await login(email, 'rice');
    const fields = { domain: 'localhost:3000', uri: 'http://localhost:3000/login', version: '1', chainId: 31_337 };
    const nonce = (await FreshIdentity.nonce(world)).text;
    const message = new SiweMessage({ ...fields, nonce, address: wallet.address, issuedAt: new Date().toISOString() }).prepareMessage();
    const signed = await world.auth('siwe', { message, signature: await wallet.signMessage(message) });
    const byWallet = signed.body.accessToken as string;
    expect(await list(byWallet)).toMatchObject([{ current: true, openedBy: 'wallet', wallet: wallet.address, tenant: 'Wool Chain' }]);
    expect((await end(byWallet, await current(rice))).status).toBe(404);
    expect((await world.call('DELETE', PATH, { bearer: byWallet })).status).toBe(204);
    expect(await asks(rice)).toBe(200);
    expect(await list(rice)).toHaveLength(2);
  });
});
