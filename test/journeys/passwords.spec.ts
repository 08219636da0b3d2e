import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { identityPersistence } from '#identity';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { eventually } from '../harness/eventually.js';
import { SmtpSink } from '../harness/smtp-sink.js';
import { type Answer, IdentityWorld, log, PASSWORD } from './identity-world.js';

const NEW = 'a better password';
const codeOf = ({ status, body }: Answer): string => `${status}${body?.code ? ` ${body.code}` : ''}`;

describe('passwords', () => {
  let database: TestDatabase;
  let world: IdentityWorld;
  let rice: { id: string };
  let people = 0;
  let email: string;
  let userId: string;

  beforeAll(async () => {
    database = await cloneTestDatabase([identityPersistence]);
    world = await IdentityWorld.start(database.endpoint, { env: { PASSWORD_RESET_URL: 'https://portal.example/reset#{token}' } });
    rice = await world.tenants.create({ slug: 'rice', name: 'Rice Chain' });
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

  const asks = (token: string): Promise<Answer> => world.get('/api/v1/asked/member', token);
  const forgot = (address: string): Promise<Answer> => world.auth('password/forgot', { email: address });
  /** The mails to somebody with this subject, oldest first. */
  const mails = (to: string, subject: string): string[] =>
    log
      .map((line) => String((JSON.parse(line) as { msg?: unknown }).msg))
      .filter((text) => text.startsWith(`To: ${to}\nSubject: ${subject}`));
  const links = (to: string): string[] =>
    mails(to, 'Reset your password').map((text) => /portal\.example\/reset#([\w-]{43})/.exec(text)![1]!);
  const link = async (): Promise<string> => {
    const before = links(email).length;
    expect((await forgot(email)).status).toBe(202);
    return eventually('the mail', () => links(email)[before]);
  };
  const actions = (): Promise<string[]> =>
    database.unitOfWork.asSystem(async (tx) =>
      (await tx.sql<{ action: string }>('select action from identity.audit_entry where subject = $1', [userId])).map(
        ({ action }) => action,
      ),
    );

  describe('are changed', () => {
    const change = (token: string, currentPassword: string, password: string): Promise<Answer> =>
      world.auth('password', { currentPassword, password }, token);

    it('by the current one: the session continues, all others end, and the user and the tenant are notified', async () => {
      const [here, elsewhere] = [(await world.login(email)).body, (await world.login(email)).body];
      for (const { accessToken } of [here, elsewhere]) expect((await asks(accessToken)).status).toBe(200);
      expect((await change(here.accessToken, PASSWORD, NEW)).status).toBe(204);
      expect((await asks(here.accessToken)).status).toBe(200);
      expect(codeOf(await asks(elsewhere.accessToken))).toBe('401 invalid_token');
      expect(codeOf(await world.auth('refresh', { refreshToken: elsewhere.refreshToken }))).toBe('401 invalid_refresh_token');
      expect((await world.auth('refresh', { refreshToken: here.refreshToken })).status).toBe(200);
      expect(codeOf(await world.login(email))).toBe('401 invalid_credentials');
      expect((await world.login(email, NEW)).status).toBe(200);
      expect(mails(email, 'Your password was changed')).toHaveLength(1);
      expect(await actions()).toContain('password.changed');
    });

    it('not with a wrong one, to a short or long one, or without a session', async () => {
      const { accessToken } = (await world.login(email)).body;
      expect(codeOf(await change(accessToken, 'wrong', NEW))).toBe('401 wrong_password');
      expect(codeOf(await change(accessToken, PASSWORD, 'short'))).toMatch(/^422/);
      expect((await change(accessToken, PASSWORD, 'x'.repeat(1025))).status).toBe(400);
      expect(codeOf(await change(accessToken, PASSWORD, 'é'.repeat(1000)))).toMatch(/^422/);
      expect(codeOf(await world.auth('password', { currentPassword: PASSWORD, password: NEW }))).toBe('401 unauthenticated');
      expect((await world.login(email)).status).toBe(200);
    });

    it('once, when two change it at the same time', async () => {
      const { accessToken } = (await world.login(email)).body;
      const both = await Promise.all([change(accessToken, PASSWORD, `${NEW} 1`), change(accessToken, PASSWORD, `${NEW} 2`)]);
      expect(new Set(both.map(({ status }) => status))).toEqual(new Set([204, 401]));
      const won = both[0].status === 204 ? 1 : 2;
      expect((await world.login(email, `${NEW} ${won}`)).status).toBe(200);
    });

    it('not by guessing with a stolen token', async () => {
      const strict = await IdentityWorld.start(database.endpoint, { env: { RATE_LOGINS_PER_ACCOUNT: '3' } });
      try {
        const { accessToken } = (await strict.login(email)).body;
        const guess = async (text: string): Promise<string> =>
          codeOf(await strict.auth('password', { currentPassword: text, password: NEW }, accessToken));
        for (let i = 0; i < 3; i++) expect(await guess(`guess ${i}`)).toBe('401 wrong_password');
        expect(await guess(PASSWORD)).toBe('429 rate_limited');
      } finally {
        await strict.stop();
      }
    });
  });

  describe('are forgotten', () => {
    const reset = (token: string, password = NEW): Promise<Answer> => world.auth('password/reset', { token, password });

    it('and reset by a link that is valid once, which ends every session and every other link', async () => {
      const { accessToken, refreshToken } = (await world.login(email)).body;
      expect((await asks(accessToken)).status).toBe(200);
      const [first, second] = [await link(), await link()];
      expect((await reset(first)).status).toBe(204);
      expect(codeOf(await asks(accessToken))).toBe('401 invalid_token');
      expect(codeOf(await world.auth('refresh', { refreshToken }))).toBe('401 invalid_refresh_token');
      expect((await world.login(email, NEW)).status).toBe(200);
      for (const used of [first, second]) expect(codeOf(await reset(used, 'yet another one'))).toBe('404 invalid_reset_token');
      expect((await world.login(email, NEW)).status).toBe(200);
      expect(await actions()).toEqual(expect.arrayContaining(['password.link_requested', 'password.changed']));
    });

    it('and a login with the old one at the same moment opens no session', async () => {
      const waits = (): Promise<boolean> =>
        database.unitOfWork.asSystem(
          async (tx) =>
            (
              await tx.sql(
                'select 1 from pg_locks l join pg_stat_activity a using (pid) where not l.granted and a.datname = current_database()',
              )
            ).length > 0,
        );
      const login = await database.unitOfWork.asSystem(async (tx) => {
        await tx.sql('select 1 from identity.app_user where id = $1 for update', [userId]);
        const asked = world.login(email);
        await eventually('the login, its password checked, to wait for the user', waits);
        await tx.sql('update identity.app_user set password_hash = null where id = $1', [userId]);
        return { asked };
      });
      expect(codeOf(await login.asked)).toBe('401 invalid_credentials');
    });

    it('once, when a link is used twenty times at once', async () => {
      const token = await link();
      const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => reset(token, `${NEW} ${i}`)));
      expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
      expect((await world.login(email, `${NEW} ${answers.findIndex(({ status }) => status === 204)}`)).status).toBe(200);
    });

    it('within an hour; a refused password does not use up the link', async () => {
      const [kept, late] = [await link(), await link()];
      expect(codeOf(await reset(kept, 'short'))).toMatch(/^422/);
      world.clock.forward(3_601);
      const answer = await reset(late);
      world.clock.forward(-3_601);
      expect(codeOf(answer)).toBe('404 invalid_reset_token');
      expect((await reset(kept)).status).toBe(204);
    });

    it('with the same answer for an address that nobody has, and no mail', async () => {
      const [known, unknown] = [await forgot(email), await forgot('nobody@rice.example')];
      expect([unknown.status, unknown.body]).toEqual([known.status, known.body]);
      await eventually('the mail to who is known', () => links(email)[0]);
      expect(log.some((line) => line.includes('To: nobody@rice.example'))).toBe(false);
    });

    it('with three unused links at most, and none for a disabled user', async () => {
      await Promise.all(Array.from({ length: 10 }, () => forgot(email)));
      await eventually('three mails', () => links(email).length >= 3);
      await database.unitOfWork.asSystem((tx) => tx.sql('update identity.app_user set disabled_at = now() where id = $1', [userId]));
      expect(codeOf(await reset(links(email)[0]!))).toBe('404 invalid_reset_token');
      const stopped = await IdentityWorld.start(database.endpoint);
      await stopped.auth('password/forgot', { email });
      // Stopping waits for what is being sent.
      await stopped.stop();
      expect(links(email)).toHaveLength(3);
    });

    it('in the language that the browser of who asks prefers', async () => {
      const headers = { 'accept-language': 'de-AT,en;q=0.5' };
      const asked = await world.call('POST', '/api/v2/auth/password/forgot', { body: { email }, headers });
      expect(asked.status).toBe(202);
      const [text] = await eventually('the mail', () => {
        const sent = mails(email, 'Passwort zurücksetzen');
        return sent.length > 0 && sent;
      });
      expect(text).toMatch(/Öffnen Sie diesen Link, um ein neues festzulegen:\n\nhttps:\/\/portal\.example\/reset#[\w-]{43}/);
    });

    it('with three mails a day to one mailbox, however often it is asked; a link that was not sent does not count', async () => {
      const counted = await IdentityWorld.start(database.endpoint, { env: { MAILS_PER_DAY: '3' } });
      const sent = (): number => mails(email, 'Reset your password').length;
      const unsent = (): number => log.filter((line) => line.includes('was not sent: its mailbox')).length;
      try {
        for (let asked = 1; asked <= 4; asked++) {
          const before = sent() + unsent();
          expect((await counted.auth('password/forgot', { email })).status).toBe(202);
          await eventually('a mail, or none', () => sent() + unsent() > before);
          await database.unitOfWork.asSystem((tx) => tx.sql('delete from identity.password_reset where user_id = $1', [userId]));
        }
        expect(sent()).toBe(3);
        counted.clock.forward(86_401);
        await counted.auth('password/forgot', { email });
        await eventually('a mail the day after', () => sent() === 4);
      } finally {
        await counted.stop();
      }
    });

    it('by tokens that are stored as a digest only, and that production does not print', async () => {
      const token = await link();
      const rows = await database.unitOfWork.asSystem((tx) =>
        tx.sql<{ row: string }>('select r::text as row from identity.password_reset r where user_id = $1', [userId]),
      );
      expect(rows).toHaveLength(1);
      expect(rows[0]!.row).not.toContain(token);
      const production = await IdentityWorld.start(database.endpoint, { mail: { transport: { kind: 'none' }, resetUrl: null } });
      await production.auth('password/forgot', { email });
      await production.stop();
      expect(links(email)).toEqual([token]);
      expect(log.some((line) => line.includes('no mail transport is configured'))).toBe(true);
    });

    const unusedLinks = async (): Promise<number> =>
      (await database.unitOfWork.asSystem((tx) => tx.sql('select 1 from identity.password_reset where user_id = $1', [userId]))).length;

    it('by a mail server; one that is unavailable uses up no link', async () => {
      const server = await SmtpSink.start();
      const node = await IdentityWorld.start(database.endpoint, {
        env: { SMTP_URL: `smtp://localhost:${server.port}`, MAIL_FROM: 'trace@example.org' },
      });
      const before = log.length;
      try {
        server.script = { answers: { 'MAIL FROM': '451 later' } };
        for (let i = 0; i < 5; i++) {
          expect((await node.auth('password/forgot', { email })).status).toBe(202);
          // The log says it once a minute; a mail that failed leaves no link.
          await eventually('the mail to fail', async () => server.connections > i && (await unusedLinks()) === 0);
        }
        expect(log.slice(before).filter((line) => line.includes('451 to MAIL'))).toHaveLength(1);
        server.script = {};
        await node.auth('password/forgot', { email });
        const mail = await eventually('the mail', () => server.mails[0]);
        expect(mail).toMatchObject({ from: 'trace@example.org', to: email });
        const token = /\n\nhttp:\/\/localhost:\d+\/portal\/password#([\w-]{43})\n/.exec(mail.text)![1]!;
        expect((await node.auth('password/reset', { token, password: NEW })).status).toBe(204);
        await eventually('the mail about it', () => server.mails[1]?.text.startsWith('Your password was changed'));
        expect(log.slice(before).join('')).not.toContain(token);
      } finally {
        await node.stop();
        await server.close();
      }
    });

    it('not by anything else', async () => {
      for (const token of ['', 'x', 'x'.repeat(43)]) expect(codeOf(await reset(token))).toBe('404 invalid_reset_token');
      expect((await reset('x'.repeat(201))).status).toBe(400);
      expect((await forgot('x'.repeat(321))).status).toBe(400);
    });
  });
});
