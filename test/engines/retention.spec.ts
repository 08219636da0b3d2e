import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '#kernel';
import { type RetentionRule, deleteOldRows } from '#persistence';
import { type TestDatabase, anyMessage, cloneTestDatabase } from '#persistence/testing';
import { contexts, retentionRules } from '../../apps/runtime/src/index.js';
import { type Values, insertRow } from './any-row.js';

const DAY_MS = 86_400_000;
const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);
/** Of which documents say something. */
const FILE = newId();
/** What ended before this goes. */
const BEFORE = daysAgo(370);
const [OLD, YOUNG] = [daysAgo(371), daysAgo(369)];
const event = (status: string, more: Values): Values => ({ status, block_number: null, expires_at: OLD, ...more });

const DECLARED = { reason: 'did_not_occur' };

/** Rows of each table that go, and rows that stay. */
const ROWS: Readonly<Record<string, { readonly go: readonly Values[]; readonly stay: readonly Values[] }>> = {
  'http.answer': { go: [{ expires_at: OLD }], stay: [{ expires_at: YOUNG }] },
  'identity.audit_entry': { go: [{ at: OLD, actor_kind: 'user' }], stay: [{ at: YOUNG, actor_kind: 'user' }] },
  'identity.api_key': {
    go: [{ revoked_at: OLD }, { expires_at: OLD }],
    stay: [{ revoked_at: YOUNG }, { expires_at: YOUNG }, { created_at: OLD }],
  },
  'identity.session': {
    go: [{ revoked_at: OLD, last_used_at: YOUNG }, { last_used_at: OLD }],
    stay: [{ revoked_at: YOUNG }, { created_at: OLD, last_used_at: YOUNG }],
  },
  'recall.drill': { go: [{ started_at: OLD }], stay: [{ started_at: YOUNG }] },
  'persistence.span_origin': { go: [{ created_at: OLD }], stay: [{ created_at: YOUNG }] },
  'transactions.tracked': {
    go: [
      { status: 'confirmed', confirmed_at: OLD, submitted_at: OLD },
      { status: 'replaced', submitted_at: OLD },
      { status: 'dropped', submitted_at: OLD },
    ].map((row) => ({ owner_kind: 'user', ...row })),
    stay: [
      { status: 'failed', confirmed_at: YOUNG, submitted_at: OLD },
      { status: 'dropped', submitted_at: YOUNG },
      { status: 'pending', submitted_at: OLD },
    ].map((row) => ({ owner_kind: 'user', ...row })),
  },
  'transactions.relay': {
    go: [{ status: 'mined', created_at: OLD }],
    stay: [
      { status: 'mined', created_at: YOUNG },
      { status: 'sent', created_at: OLD },
    ],
  },
  'transactions.sponsor_transaction': {
    go: [{ kind: 'relay', nonce: 1, settled: true, created_at: OLD }],
    stay: [
      { kind: 'relay', nonce: 2, settled: true, created_at: YOUNG },
      { kind: 'relay', nonce: 3, settled: false, created_at: OLD },
    ],
  },
  'identity.account_call': { go: [{ created_at: OLD }], stay: [{ created_at: YOUNG }] },
  'traceability.event': {
    go: [event('expired', {}), event('failed', {})],
    stay: [event('expired', { expires_at: YOUNG }), event('prepared', {}), event('recorded', { block_number: 7 })],
  },
  'traceability.error_declaration': {
    go: [{ prepared_at: OLD, landed: false, ...DECLARED }],
    stay: [
      { prepared_at: OLD, landed: true, ...DECLARED },
      { prepared_at: YOUNG, landed: false, ...DECLARED },
    ],
  },
  'traceability.retraction': { go: [{ announced_at: OLD }], stay: [{ announced_at: YOUNG }, { announced_at: null, noted_at: OLD }] },
  'interchange.epcis_event': {
    go: [{ key: 'kept:1', audience: 'all', record_time: OLD, block_number: null }],
    stay: [
      { key: 'kept:2', audience: 'all', record_time: YOUNG, block_number: null },
      { key: 'event:3', audience: 'all', record_time: OLD, block_number: 7 },
    ],
  },
  'interchange.captured_event': {
    go: [{ reserved_at: OLD, event_id: newId() }, { reserved_at: OLD }, { reserved_at: daysAgo(500), event_id: newId() }],
    stay: [{ reserved_at: YOUNG }],
  },
  'interchange.capture_job': {
    go: [{ created_at: OLD, error_behaviour: 'proceed' }],
    stay: [{ created_at: YOUNG, error_behaviour: 'proceed' }],
  },
  // Before the documents, which refer to the last one.
  'documents.file': {
    go: [
      { shared: true, stored_at: OLD, sha256: 'a'.repeat(64), size: 1 },
      { shared: false, stored_at: OLD, sha256: 'b'.repeat(64), size: 1 },
    ],
    stay: [
      { shared: false, stored_at: YOUNG, sha256: 'c'.repeat(64), size: 1 },
      { shared: true, stored_at: YOUNG, sha256: 'd'.repeat(64), size: 1, id: FILE },
    ],
  },
  'documents.document': {
    go: [{ uploaded_at: OLD, file_id: FILE, visibility: 'public' }],
    stay: [{ uploaded_at: YOUNG, file_id: FILE, visibility: 'public' }],
  },
  'interchange.import': {
    go: [{ created_at: OLD, task: 'check', state: 'checked' }],
    stay: [
      { created_at: YOUNG, task: 'check', state: 'checked' },
      { created_at: OLD, task: 'check', state: 'running' },
    ],
  },
  'reporting.notice': {
    go: [{ topic: 'alert', key: 'old', created_at: OLD }],
    stay: [{ topic: 'alert', key: 'young', created_at: YOUNG }],
  },
  'reporting.notice_mail': { go: [{ state: 'sent', created_at: OLD }], stay: [{ state: 'sent', created_at: YOUNG }] },
  'interchange.captured_context': { go: [{ used_at: OLD }], stay: [{ used_at: YOUNG }] },
};
/** Tested with what belongs to them: webhooks-retention.spec.ts, alert-retention.spec.ts, and below. */
const ELSEWHERE = [
  'identity.app_user',
  'webhooks.consumer',
  'webhooks.delivery',
  'webhooks.message',
  'webhooks.subscription',
  'reporting.alert',
  'persistence.outbox',
];

describe('the retention', () => {
  let database: TestDatabase;
  const [tenant, user] = [newId(), newId()];
  const { signal } = new AbortController();
  beforeAll(async () => {
    database = await cloneTestDatabase(contexts);
    await insert('identity.tenant', { id: tenant, environment: 'sandbox', status: 'active' });
    await insert('identity.app_user', { id: user });
  });
  afterAll(() => database?.drop());

  const sql = <Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    database.unitOfWork.asSystem((tx) => tx.sql<Row>(text, values));
  const insert = (table: string, values: Values): Promise<string> =>
    database.unitOfWork.asSystem((tx) => insertRow(tx, table, { tenant_id: tenant, user_id: user, ...values }));
  const count = async (table: string): Promise<number> => (await sql<{ n: number }>(`select count(*)::int as n from ${table}`))[0]!.n;
  const rulesOf = (table: string): readonly RetentionRule[] => retentionRules.filter((rule) => rule.table === table);

  it('is tested here for every table that has one', () => {
    expect([...Object.keys(ROWS), ...ELSEWHERE].toSorted()).toEqual([...new Set(retentionRules.map(({ table }) => table))].toSorted());
  });

  it.each(Object.entries(ROWS))('of %s deletes what ended before its time, and nothing else', async (table, { go, stay }) => {
    for (const values of [...go, ...stay]) await insert(table, values);
    let deleted = 0;
    for (const rule of rulesOf(table)) deleted += await deleteOldRows(database.unitOfWork, rule, { before: BEFORE, signal });
    expect([deleted, await count(table)]).toEqual([go.length, stay.length]);
  });

  it('of users who never accepted an invitation takes their memberships along, and nobody who has a credential or a membership', async () => {
    const [rule] = rulesOf('identity.app_user');
    const invited = async (member: Values, more: Readonly<Record<string, Values>> = {}): Promise<string> => {
      const id = newId();
      await insert('identity.app_user', { id, created_at: OLD });
      await insert('identity.member', { user_id: id, created_at: OLD, roles: [], role_scopes: {}, ...member });
      for (const [table, values] of Object.entries(more)) await insert(table, { user_id: id, ...values });
      return id;
    };
    const alone = async (values: Values): Promise<string> => {
      const id = newId();
      await insert('identity.app_user', { id, ...values });
      return id;
    };
    const link = (at: Date): Values => ({ token_hash: Buffer.from(newId()), created_at: at, expires_at: at });
    const go = [
      await alone({ created_at: OLD }),
      await invited({ proposed_wallet: '0x01' }),
      await invited({ revoked_at: OLD }, { 'identity.invitation': link(OLD) }),
    ];
    const stay = [
      await alone({ created_at: YOUNG }),
      await alone({ created_at: OLD, password_hash: 'x' }),
      await alone({ created_at: OLD, platform_admin: true }),
      await invited({ accepted_at: OLD }),
      await invited({ accepted_at: OLD, revoked_at: OLD }),
      await invited({ wallet: '0x02' }),
      await invited({ created_at: YOUNG }),
      await invited({}, { 'identity.wallet': { address: '0x03' } }),
      await invited({}, { 'identity.session': { last_used_at: OLD } }),
      await invited({}, { 'identity.passkey': { id: 'made and never used' } }),
      await invited({}, { 'identity.invitation': link(YOUNG) }),
    ];
    expect(await deleteOldRows(database.unitOfWork, rule!, { before: BEFORE, signal })).toBe(go.length);
    const left = async (table: string, column: string): Promise<string[]> =>
      (await sql<{ id: string }>(`select ${column} as id from ${table} where ${column} = any($1::uuid[])`, [[...go, ...stay]])).map(
        ({ id }) => id,
      );
    expect((await left('identity.app_user', 'id')).toSorted()).toEqual(stay.toSorted());
    expect((await left('identity.member', 'user_id')).toSorted()).toEqual(stay.slice(3).toSorted());
  });

  it('keeps a captured event whose event is there', async () => {
    const id = newId();
    await insert('traceability.event', event('recorded', { id, block_number: 8 }));
    await insert('interchange.captured_event', { reserved_at: OLD, event_id: id });
    const [rule] = rulesOf('interchange.captured_event');
    expect(await deleteOldRows(database.unitOfWork, rule!, { before: BEFORE, signal })).toBe(0);
  });

  it('keeps the context of a captured document as long as an event of it is there', async () => {
    await insert('interchange.captured_context', { hash: 'used', used_at: OLD });
    await insert('interchange.captured_event', { reserved_at: YOUNG, context_hash: 'used' });
    const [rule] = rulesOf('interchange.captured_context');
    expect(await deleteOldRows(database.unitOfWork, rule!, { before: BEFORE, signal })).toBe(0);
  });

  it('of the audit log is refused by the database where it asks for entries of the last year, and for everybody else', async () => {
    const [rule] = rulesOf('identity.audit_entry');
    await insert('identity.audit_entry', { at: daysAgo(364), actor_kind: 'user' });
    await expect(deleteOldRows(database.unitOfWork, rule!, { before: daysAgo(363), signal })).rejects.toThrow(/append-only/);
    const asTenant = (text: string): Promise<unknown> => database.unitOfWork.inTransaction({ tenantId: tenant }, (tx) => tx.sql(text));
    await insert('identity.audit_entry', { at: OLD, actor_kind: 'user' });
    await expect(asTenant('delete from identity.audit_entry')).rejects.toThrow(/permission denied/);
    await expect(sql(`update identity.audit_entry set action = 'x' where at < now() - interval '366 days'`)).rejects.toThrow(
      /permission denied/,
    );
  });

  it('deletes many in batches, and stops before the next one on demand', async () => {
    await sql(
      `insert into persistence.span_origin (tenant_id, key, traceparent, created_at)
       select $1, 'many ' || n, 'x', $2 from generate_series(1, 2500) as n`,
      [tenant, OLD],
    );
    const [rule] = rulesOf('persistence.span_origin');
    const batches: number[] = [];
    const onDeleted = (rows: number): unknown => batches.push(rows);
    await deleteOldRows(database.unitOfWork, rule!, { before: BEFORE, signal, onDeleted, mayGoOn: async () => batches.length < 1 });
    expect(batches).toEqual([1_000]);
    expect(await deleteOldRows(database.unitOfWork, rule!, { before: BEFORE, signal: AbortSignal.abort() })).toBe(0);
    await deleteOldRows(database.unitOfWork, rule!, { before: BEFORE, signal, onDeleted });
    expect(batches).toEqual([1_000, 1_000, 500]);
  });

  it('of the outbox keeps what was not sent, and the hashes of the keys: what was sent is not sent again', async () => {
    const publish = (...keys: string[]): Promise<void> =>
      database.unitOfWork.inTransaction({ tenantId: tenant }, (tx) =>
        tx.publish(keys.map((key) => anyMessage('nft.created', { tokenId: 1 }, { key, occurredAt: OLD }))),
      );
    const keys = async (): Promise<string[]> =>
      (await sql<{ dedup_key: string }>('select dedup_key from persistence.outbox order by dedup_key')).map((row) => row.dedup_key);
    await publish('sent', 'waits', 'young');
    await sql(`update persistence.outbox set created_at = $1 where dedup_key <> 'young'`, [OLD]);
    await sql(`update persistence.outbox set relayed_at = now(), body = '' where dedup_key <> 'waits'`);
    const [rule] = rulesOf('persistence.outbox');
    expect(await deleteOldRows(database.unitOfWork, rule!, { before: BEFORE, signal })).toBe(1);
    expect(await keys()).toEqual(['waits', 'young']);
    await publish('sent', 'waits', 'young', 'new');
    expect(await keys()).toEqual(['new', 'waits', 'young']);
    // Another tenant has keys of its own.
    const other = newId();
    await database.unitOfWork.inTransaction({ tenantId: other }, (tx) =>
      tx.publish([anyMessage('nft.created', { tokenId: 1 }, { key: 'sent', occurredAt: OLD })]),
    );
    expect(await keys()).toEqual(['new', 'sent', 'waits', 'young']);
  });
});
