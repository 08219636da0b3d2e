import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ChangeApiKey, ChangeTenant, OPERATOR, identityPersistence } from '#identity';
import { newId } from '#kernel';
import { UnitOfWork } from '#persistence';
import { type TestDatabase, cloneTestDatabase } from '#persistence/testing';
import { type Answer, IdentityWorld, PASSWORD } from './identity-world.js';

/** docs/spec/api.md#identity */
const PROMISED_MS = 1_000;

/** Two nodes of the service on one database: what one revokes. */
describe('a revocation', () => {
  let database: TestDatabase;
  let here: IdentityWorld;
  let elsewhere: IdentityWorld;
  let tenantId: string;
  let people = 0;

  beforeAll(async () => {
    database = await cloneTestDatabase([identityPersistence]);
    const node = (): Promise<IdentityWorld> => IdentityWorld.start(database.endpoint);
    [here, elsewhere] = [await node(), await node()];
    tenantId = (await here.tenants.create({ slug: 'rice', name: 'Rice Chain', environment: 'sandbox' })).id;
  });
  afterAll(async () => {
    await Promise.all([here?.stop(), elsewhere?.stop()]);
    await database?.drop();
  });

  interface Person {
    readonly id: string;
    readonly email: string;
    readonly accessToken: string;
    readonly refreshToken: string;
  }
  const person = async (tenant = tenantId): Promise<Person> => {
    const email = `person${++people}@rice.example`;
    const { id } = await here.users.create({ email, name: 'Person', password: PASSWORD });
    await here.members.add(tenant, id, { roles: ['TENANT_ADMIN'] });
    return { id, email, ...(await here.login(email)).body };
  };
  const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

  /**
   * Both nodes know the credential; after the change the one that made it lets nothing in any more, and the other nothing that
   * was asked later than promised. Requests carry the time of their start, so that a slow machine makes the test slow, not wrong.
   */
  async function takesEffect(credential: Record<string, string>, revoke: () => Promise<unknown>, refusal: string): Promise<void> {
    const ask = (node: IdentityWorld): Promise<Answer> => node.call('GET', '/api/v1/asked/admin', { headers: credential });
    for (const node of [here, elsewhere]) for (let i = 0; i < 2; i++) expect((await ask(node)).status).toBe(200);
    await revoke();
    const done = performance.now();
    const code = ({ status, body }: Answer): string => `${status} ${body.code}`;
    expect(code(await ask(here))).toBe(refusal);
    let lastAdmitted = 0;
    const refusals: string[] = [];
    while (refusals.length < 3) {
      const asked = performance.now() - done;
      const answer = await ask(elsewhere);
      if (answer.status === 200) lastAdmitted = asked;
      else refusals.push(code(answer));
      expect(lastAdmitted).toBeLessThanOrEqual(PROMISED_MS);
      await pause(20);
    }
    expect(refusals).toEqual([refusal, refusal, refusal]);
  }

  it('of a membership takes effect at once on this node and within a second on the others', async () => {
    const { id, accessToken } = await person();
    await takesEffect(bearer(accessToken), () => here.members.revoke(tenantId, id), '401 invalid_token');
  });

  it('of a role', async () => {
    const { id, accessToken } = await person();
    await takesEffect(bearer(accessToken), () => here.members.add(tenantId, id, { roles: ['OPERATOR'] }), '403 role_required');
  });

  it('of a session by logging out', async () => {
    const { accessToken } = await person();
    await takesEffect(bearer(accessToken), () => here.auth('logout', {}, accessToken), '401 invalid_token');
  });

  it('of a session by a refresh token that was used before', async () => {
    const { accessToken, refreshToken } = await person();
    const second = (await here.auth('refresh', { refreshToken })).body;
    await here.auth('refresh', { refreshToken: second.refreshToken });
    await takesEffect(bearer(accessToken), () => here.auth('refresh', { refreshToken }), '401 invalid_token');
  });

  it('of all other sessions by a new password', async () => {
    const { email, accessToken } = await person();
    const other = (await here.login(email)).body.accessToken as string;
    const change = { currentPassword: PASSWORD, password: 'another one of mine' };
    await takesEffect(bearer(accessToken), () => here.auth('password', change, other), '401 invalid_token');
  });

  it('of an API key, revoked or rotated without an overlap', async () => {
    const keys = here.app.get(ChangeApiKey, { strict: false });
    for (const end of [
      (id: string): Promise<unknown> => keys.revoke(tenantId, id, null),
      (id: string): Promise<unknown> => keys.rotate(tenantId, id, 0, null),
    ]) {
      const { key, text } = await here.keys.create(tenantId, { name: newId(), roles: ['TENANT_ADMIN'] }, null);
      await takesEffect({ 'x-api-key': text }, () => end(key.id), '401 invalid_api_key');
    }
  });

  it('of a whole tenant', async () => {
    const { id } = await here.tenants.create({ slug: 'paused', name: 'Paused' });
    const { accessToken } = await person(id);
    const { text } = await here.keys.create(id, { name: 'key', roles: ['TENANT_ADMIN'] }, null);
    const suspension = here.app.get(ChangeTenant, { strict: false });
    await takesEffect(bearer(accessToken), () => suspension.suspend(id, OPERATOR), '401 invalid_token');
    await suspension.resume(id, OPERATOR);
    await takesEffect({ 'x-api-key': text }, () => suspension.suspend(id, OPERATOR), '401 invalid_api_key');
  });

  it('takes effect on a node that cannot read the message: it checks a cache entry again after a second', async () => {
    const { id, accessToken } = await person();
    const unitOfWork = elsewhere.app.get(UnitOfWork);
    const asSystem = unitOfWork.asSystem.bind(unitOfWork);
    try {
      await takesEffect(
        bearer(accessToken),
        () => {
          unitOfWork.asSystem = (work) =>
            new Error().stack!.includes('RevocationWatch') ? Promise.reject(new Error('the database is away')) : asSystem(work);
          return here.members.revoke(tenantId, id);
        },
        '401 invalid_token',
      );
    } finally {
      Reflect.deleteProperty(unitOfWork, 'asSystem');
    }
  });
});
