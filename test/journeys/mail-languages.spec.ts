import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TraceabilityClient } from '#client';
import type { Company } from '../../apps/cli/src/demo/company.js';
import { eventually } from '../harness/eventually.js';
import { SmtpSink } from '../harness/smtp-sink.js';
import { World } from '../harness/world.js';
import { type Json, RiceTrade } from './rice-trade.js';

const [PASSWORD, NEXT] = ['correct horse battery', 'another horse battery'];

describe('the language of mails', () => {
  let world: World;
  let sink: SmtpSink;
  let admin: string;

  beforeAll(async () => {
    sink = await SmtpSink.start();
    world = await World.start({
      ...{ NOTICES_EVERY_MS: '100', NOTICE_MAILS_EVERY_MS: '0', SMTP_URL: `smtp://localhost:${sink.port}` },
      ...{ MAIL_FROM: 'trace@example.org', PUBLIC_URL: 'https://trace.example' },
    });
    admin = await tokenOf(world.tenant('rice').admin);
  });
  afterAll(async () => {
    await world?.close();
    await sink?.close();
  });

  const send = (path: string, language: string | null, body: object, token?: string): Promise<Response> =>
    fetch(`${world.baseUrl}/api/v2/${path}`, {
      method: path === 'auth/language' ? 'PUT' : 'POST',
      headers: {
        'content-type': 'application/json',
        ...(language !== null && { 'accept-language': language }),
        ...(token && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    });
  const tokenOf = async ({ email, password }: { readonly email: string; readonly password: string }): Promise<string> =>
    ((await (await send('auth/login', null, { email, password })).json()) as { accessToken: string }).accessToken;
  const mailTo = (address: string, text: RegExp) =>
    eventually(`a mail to ${address} that says ${text.source}`, () => sink.mails.find((one) => one.to === address && text.test(one.text)));
  const invite = async (email: string, language: string | null): Promise<void> => {
    expect((await send('members', language, { email, roles: ['OPERATOR'] }, admin)).status).toBe(201);
  };
  const choose = async (who: Company, language: string): Promise<void> => {
    await who.api.request('PUT', '/api/v2/auth/language', { language });
    expect(await who.api.get<Json>('/api/v2/auth/me')).toMatchObject({ language });
  };

  it('of an invitation is that of who invites, then that of the browser that accepts it', async () => {
    const email = 'huong@rice.example';
    await invite(email, 'fr-FR, en;q=0.5');
    const { text } = await mailTo(email, /vous a ajouté comme membre/);
    const token = /invitation#([\w-]+)/.exec(text)![1]!;
    expect((await send('auth/invitations/accept', 'vi', { token, password: PASSWORD })).status).toBe(204);
    const them = await TraceabilityClient.login(world.baseUrl, email, PASSWORD);
    expect(await them.get<Json>('/api/v2/auth/me')).toMatchObject({ language: 'vi' });
    // A stranger who names the address does not choose for its reader.
    expect((await send('auth/password/forgot', 'es', { email })).status).toBe(202);
    const link = /password#([\w-]+)/.exec((await mailTo(email, /Mở liên kết này để đặt mật khẩu mới/)).text)![1]!;
    expect((await send('auth/password/reset', 'de', { token: link, password: NEXT })).status).toBe(204);
    await mailTo(email, /Mật khẩu của bạn đã được đổi/);
    // Another tenant that invites them writes in their language.
    admin = await tokenOf(world.tenant('wool').admin);
    await invite(email, 'fr');
    await mailTo(email, /đã thêm bạn làm thành viên/);
  });

  it('is English where nobody asks for one, and then what the request for a password asks for', async () => {
    const email = 'plain@rice.example';
    await invite(email, null);
    const token = /invitation#([\w-]+)/.exec((await mailTo(email, /has made you a member/)).text)![1]!;
    expect((await send('auth/invitations/accept', '*', { token, password: PASSWORD })).status).toBe(204);
    const them = await TraceabilityClient.login(world.baseUrl, email, PASSWORD);
    expect(await them.get<Json>('/api/v2/auth/me')).toMatchObject({ language: null });
    await send('auth/password/forgot', 'es', { email });
    await mailTo(email, /Abra este enlace para establecer una nueva/);
  });

  it('of notices is what each person chose', async () => {
    const rice = await RiceTrade.of(world);
    await choose(rice.mill, 'de');
    const { tokenId } = await rice.harvest();
    await rice.land(rice.farmA, rice.custody(rice.farmA, { tokenIds: [tokenId], to: rice.mill.address }));
    const { text, raw } = await mailTo(world.tenant('rice').actors['mill']!.email, /bietet Ihnen das Los/);
    expect(text).toContain('Keine Mails mehr zu\nÜbergaben, die auf Sie warten: https://trace.example/notices/off');
    expect(raw).toMatch(/^Subject: /m);
    await choose(rice.mill, 'en');
    const { tokenId: second } = await rice.harvest();
    await rice.land(rice.farmA, rice.custody(rice.farmA, { tokenIds: [second], to: rice.mill.address }));
    await mailTo(world.tenant('rice').actors['mill']!.email, /is offered to you/);
  });

  it('is one of those that there are', async () => {
    const token = await tokenOf(world.tenant('rice').admin);
    const statuses = await Promise.all(
      ['pt', 'DE', '', null].map(async (language) => (await send('auth/language', null, { language }, token)).status),
    );
    for (const status of statuses) expect([400, 422]).toContain(status);
    expect((await send('auth/language', 'de', { language: 'de' }, token)).status).toBe(204);
    expect((await send('auth/language', null, { language: 'de' })).status).toBe(401);
  });
});
