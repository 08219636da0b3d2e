import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#kernel';
import type { Company } from '../../apps/cli/src/demo/company.js';
import { eventually } from '../harness/eventually.js';
import { SmtpSink } from '../harness/smtp-sink.js';
import { World } from '../harness/world.js';
import { type Json, RiceTrade } from './rice-trade.js';

const PUBLIC = 'https://trace.example';

describe('notices', () => {
  let world: World;
  let rice: RiceTrade;
  let sink: SmtpSink;

  beforeAll(async () => {
    sink = await SmtpSink.start();
    world = await World.start({
      NOTICES_EVERY_MS: '100',
      NOTICE_MAILS_EVERY_MS: '0',
      SMTP_URL: `smtp://localhost:${sink.port}`,
      MAIL_FROM: 'trace@example.org',
      PUBLIC_URL: PUBLIC,
    });
    rice = await RiceTrade.of(world);
  });
  afterAll(async () => {
    await world?.close();
    await sink?.close();
  });

  const inbox = (who: Company, query = ''): Promise<Json> => who.api.get<Json>(`/api/v1/notices?limit=100${query}`);
  const noticeOf = (who: Company, topic: string, title: RegExp): Promise<Json> =>
    eventually(`a notice about ${topic}`, async () => {
      const { data } = (await inbox(who)) as { data: Json[] };
      return data.find((one) => one['topic'] === topic && title.test(one['title'] as string));
    });
  const mailTo = (address: string, text: RegExp) =>
    eventually(`a mail to ${address}`, () => sink.mails.find((mail) => mail.to === address && text.test(mail.text)));
  const emailOf = (key: string): string => world.tenant('rice').actors[key]!.email;
  const rows = (text: string, parameters: readonly unknown[] = []): Promise<Json[]> =>
    world.database.unitOfWork.asSystem((tx) => tx.sql<Json>(text, parameters));

  it('go to the receiver of a transfer once, and not to its sender, in the portal and by mail', async () => {
    const { tokenId } = await rice.harvest();
    await rice.land(rice.farmA, rice.custody(rice.farmA, { tokenIds: [tokenId], to: rice.mill.address }));
    const notice = await noticeOf(rice.mill, 'transfer', /^Lot \S+ is offered to you by .+: accept or reject it\.$/);
    expect(notice).toMatchObject({ link: '/offers', readAt: null });
    const mail = await mailTo(emailOf('mill'), /Lot \S+ is offered to you/);
    expect(mail.text).toContain(`${PUBLIC}/portal/offers`);
    expect(((await inbox(rice.farmA))['data'] as Json[]).filter(({ topic }) => topic === 'transfer')).toEqual([]);
    const { unread } = (await inbox(rice.mill)) as { unread: number };
    expect(await rice.mill.api.post('/api/v1/notices/read', { ids: [notice['id']] })).toEqual({ unread: unread - 1 });
    expect(((await inbox(rice.mill, '&unread=true'))['data'] as Json[]).map(({ id }) => id as string)).not.toContain(notice['id']);
    // One person's notices are no other's.
    await rice.farmA.api.post('/api/v1/notices/read', {});
    expect(((await inbox(rice.mill))['data'] as Json[]).find(({ id }) => id === notice['id'])!['readAt']).toEqual(expect.any(String));
  });

  it('about an offer name its lots and who sends them, and are read when it has ended', async () => {
    const [first, second] = [await rice.harvest(), await rice.harvest()];
    const tokenIds = [first.tokenId, second.tokenId];
    await rice.land(rice.farmA, rice.custody(rice.farmA, { tokenIds, to: rice.mill.address }));
    const { id, title } = await noticeOf(rice.mill, 'transfer', /and 1 more lot are offered to you by/);
    expect([first, second].some(({ tlc }) => (title as string).startsWith(`Lot ${tlc} and`))).toBe(true);
    expect(title).not.toContain('0x');
    const readAt = async (): Promise<unknown> => ((await inbox(rice.mill))['data'] as Json[]).find((one) => one['id'] === id)!['readAt'];
    const half = { action: 'accept', tokenIds: [first.tokenId] };
    await rice.land(rice.mill, rice.custody(rice.mill, half));
    // What comes later in the feed has been gathered: half of the offer is open.
    const { tokenId } = await rice.harvest();
    await rice.land(rice.farmA, rice.custody(rice.farmA, { tokenIds: [tokenId], to: rice.dist.address }));
    await noticeOf(rice.dist, 'transfer', /is offered to you/);
    expect(await readAt()).toBeNull();
    await rice.land(rice.mill, rice.custody(rice.mill, { action: 'reject', tokenIds: [second.tokenId] }));
    await eventually('the notice to be read', async () => (await readAt()) !== null);
  });

  it('ask the holders of a recall and of a drill that asks, and remind who has not answered', async () => {
    const { from, lot } = await rice.dried();
    await rice.land(rice.admin, rice.recall(rice.admin, from.tokenId, { reason: 'Glass in the hopper' }));
    const notice = await noticeOf(rice.mill, 'recall', /^A recall affects 1 lot that you hold/);
    const recallId = (notice['link'] as string).split('/').at(-1)!;
    expect((await rice.api.get<Json>(`/api/v1/recalls/${recallId}/acknowledgements`))['holders']).toMatchObject([
      { address: rice.mill.address },
    ]);
    await mailTo(emailOf('mill'), /A recall affects 1 lot/);
    const { id: drill } = await rice.api.post<Json>('/api/v1/recall/drills', { tokenId: lot.tokenId, ask: true });
    const silent = await rice.api.post<Json>('/api/v1/recall/drills', { tokenId: lot.tokenId });
    await rows(`update reporting.notice_cursor set gathered_at = 'epoch'`);
    await noticeOf(rice.mill, 'recall', /^A recall drill asks about 1 lot/);
    // A day later.
    await rows(
      `update reporting.recall_request set asked_at = asked_at - interval '1 day', next_at = next_at - interval '1 day' where recall_id = $1`,
      [recallId],
    );
    await noticeOf(rice.mill, 'recall', /^Reminder: a recall still asks what you did with 1 lot/);
    await rice.mill.api.post(`/api/v1/recalls/${recallId}/acknowledgements`, { lots: [{ tokenId: lot.tokenId, state: 'quarantined' }] });
    await rows('update reporting.recall_request set next_at = now() where recall_id = $1', [recallId]);
    await eventually('nobody left to remind', async () => {
      const [request] = await rows('select next_at from reporting.recall_request where recall_id = $1', [recallId]);
      return request!['next_at'] === null;
    });
    const titles = ((await inbox(rice.mill))['data'] as Json[]).filter(({ link }) => link === `/recalls/${recallId}`);
    expect(titles).toHaveLength(2);
    const asked = await rows('select recall_id from reporting.recall_request where is_drill');
    expect([asked.map((one) => one['recall_id'] as string), silent['id'] === drill]).toEqual([[drill], false]);
  });

  it('are of alerts, of documents that run out, of paused webhooks and of finished imports, each to whom it concerns', async () => {
    const { id: tenantId } = (await rows(`select tenant_id as id from identity.tenant_v1 where slug = 'rice'`))[0] as { id: string };
    const [event] = await rows('select id from traceability.event_v1 where tenant_id = $1 and counts limit 1', [tenantId]);
    await rows(
      `insert into reporting.alert (tenant_id, id, source, type, severity, subject_kind, subject_id, key, title, detail, evidence, threshold, group_name, org_ids, first_seen_at, detected_at)
       select $1, 'a' || i, 'lot', 'LOT_EXPIRED', 'critical', 'lot', 's', '', 'Lot ' || i || ' has expired', '', '{}', '{}', 'Rice', '{}', now(), now() from generate_series(1, 3) i`,
      [tenantId],
    );
    await rows(
      `insert into reporting.dated_document (tenant_id, event_id, type, number, valid_to) values ($1, $2, 'ORGANIC', 'C-1', now()::date + 10), ($1, $2, 'ORGANIC', 'C-2', now()::date + 90)`,
      [tenantId, event!['id']],
    );
    const { id: hook } = await rice.api.webhooks.create(world.sink.url('/paused'), ['nft.created']);
    await rows('update webhooks.subscription set paused_since = now() where id = $1', [hook]);
    await rows(`update reporting.notice_cursor set gathered_at = 'epoch'`);
    expect((await noticeOf(rice.admin, 'alert', /has expired, and 2 more alerts of this kind\.$/))['link']).toBe('/reports/alerts');
    await noticeOf(rice.admin, 'document', /^ORGANIC C-1 is valid until/);
    await noticeOf(rice.admin, 'webhook', /^The webhook to .* is paused/);
    const { data } = (await inbox(rice.admin)) as { data: Json[] };
    expect(data.filter(({ title }) => /C-2/.test(title as string))).toEqual([]);
    expect(((await inbox(rice.farmB))['data'] as Json[]).filter(({ topic }) => ['alert', 'webhook'].includes(topic as string))).toEqual([]);
    const columns = [{ column: 'a', to: '/outputTlc', as: 'text' }];
    const { id: mappingId } = await rice.farmA.api.imports.keepMapping('n', { processType: 'RICE_HARVESTING', columns });
    await rice.farmA.api.imports.start(new Blob(['a\nx']), 'x.csv', { mappingId });
    await noticeOf(rice.farmA, 'import', /^The check of your import is finished: 0 of 1 row can be used\.$/);
  });

  it('stop at one click of a link that is signed, without signing in, for its topic alone', async () => {
    const mail = await mailTo(emailOf('farmA'), /Finished imports/);
    const [, url] = /^List-Unsubscribe:\s*<(.*)>$/m.exec(mail.raw.replaceAll(/\n[ \t]+/g, '')) ?? [];
    expect(mail.raw).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    const at = (link: string): string => link.replace(PUBLIC, world.baseUrl);
    const offered = await fetch(at(url!));
    expect([offered.status, await offered.text()]).toEqual([200, expect.stringContaining('Send me no more mails about this')]);
    const choice = async (topic: string): Promise<Json> =>
      ((await rice.farmA.api.get<Json>('/api/v1/notices/choices'))['data'] as Json[]).find((one) => one['topic'] === topic)!;
    // Who only fetches it, like a scanner of mails, ends nothing.
    expect(await choice('import')).toEqual({ topic: 'import', inPortal: true, byMail: true });
    const end = (link: string): Promise<Response> =>
      fetch(at(link), {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'List-Unsubscribe=One-Click',
      });
    const forged = url!.replace(/\.import\./, '.recall.');
    expect(forged).not.toBe(url);
    expect((await end(forged)).status).toBe(404);
    expect((await end(`${url!.slice(0, -1)}${url!.endsWith('A') ? 'B' : 'A'}`)).status).toBe(404);
    expect((await end(url!)).status).toBe(200);
    expect([await choice('import'), await choice('recall')]).toEqual([
      { topic: 'import', inPortal: true, byMail: false },
      { topic: 'recall', inPortal: true, byMail: true },
    ]);
  });

  it('come where the person wants them, by topic', async () => {
    await rice.farmB.api.request('PUT', '/api/v1/notices/choices/transfer', { inPortal: false, byMail: false });
    const { tokenId } = await rice.harvest();
    await rice.land(rice.farmA, rice.custody(rice.farmA, { tokenIds: [tokenId], to: rice.farmB.address }));
    const { tokenId: second, tlc } = await rice.harvest();
    await rice.land(rice.farmA, rice.custody(rice.farmA, { tokenIds: [second], to: rice.dist.address }));
    // Later in the feed.
    await noticeOf(rice.dist, 'transfer', new RegExp(`^Lot ${tlc} is offered to you`));
    expect((await inbox(rice.farmB))['data']).toEqual([]);
    await expect(rice.farmB.api.request('PUT', '/api/v1/notices/choices/weather', { inPortal: true, byMail: true })).rejects.toMatchObject({
      status: 404,
      code: 'notice_topic_unknown',
    });
  });

  it('are lost by no mail server that is greylisting, cuts or refuses for now, and come twice from none', async () => {
    const fates = ['refuse', 'cut', 'later', 'lost', 'keep'] as const;
    sink.script = { attempt: (_, number) => fates[number % fates.length]! };
    sink.mails.length = 0;
    const people = await rows(
      `select m.tenant_id, m.user_id from identity.member m join identity.tenant_v1 t using (tenant_id) where t.slug = 'rice' and m.accepted_at is not null`,
    );
    const titles = Array.from({ length: 120 }, (_, i) => `Matter ${String(i).padStart(3, '0')}.`);
    for (const { tenant_id: tenantId, user_id: userId } of people)
      await rows(
        `insert into reporting.notice (tenant_id, id, user_id, topic, key, title, in_portal, by_mail, created_at)
         select $1, gen_random_uuid(), $2, 'alert', $4 || t, t, true, true, now() from unnest($3::text[]) t`,
        [tenantId, userId, titles, newId()],
      );
    await eventually('all mails are sent', async () => {
      const [left] = await rows(
        `select count(*)::int as n from reporting.notice n left join reporting.notice_mail m on m.tenant_id = n.tenant_id and m.id = n.mail_id
         where n.title like 'Matter %' and m.state is distinct from 'sent'`,
      );
      return left!['n'] === 0;
    });
    // A mail whose answer was lost comes again with the same Message-ID and text: it is the same mail.
    const idOf = (raw: string): string => /^Message-ID: (.*)$/m.exec(raw)![1]!;
    const once = new Map(sink.mails.map((mail) => [idOf(mail.raw), mail]));
    for (const mail of sink.mails) expect(mail.text).toBe(once.get(idOf(mail.raw))!.text);
    const byPerson = new Map<string, string[]>();
    for (const { to, text } of once.values())
      byPerson.set(to, [...(byPerson.get(to) ?? []), ...[...text.matchAll(/Matter \d{3}\./g)].map(([title]) => title)]);
    expect(byPerson.size).toBe(people.length);
    for (const got of byPerson.values()) expect(got.toSorted()).toEqual(titles);
    expect(sink.mails.length).toBeGreaterThan(once.size);
    sink.script = {};
  });
});
