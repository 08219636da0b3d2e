import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Wallet } from 'ethers';
import { Rpc, Sender, TraceabilityClient } from '#client';
import { RepositoryStateQueries } from '#interchange/testing';
import { UnitOfWork } from '#persistence';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { pino } from 'pino';
import { operatorWallet } from '../../apps/cli/src/demo/dev-wallets.js';
import { readTemplate } from '../../apps/cli/src/demo/templates.js';
import { TABLE_ORIGINS, tablesOf } from '../../apps/cli/src/backup/table-origins.js';
import { contexts } from '../../apps/runtime/src/index.js';
import { outputOf } from '../harness/command-line.js';
import { everything, restoreKept } from '../harness/dump.js';
import { confirmWallet } from '../harness/confirm-wallet.js';
import { eventually, eventuallyHolds } from '../harness/eventually.js';
import { givePassword } from '../harness/give-password.js';
import { World } from '../harness/world.js';
import { type Json, RiceTrade } from './rice-trade.js';
import { SEALED_COLUMNS } from './sealed-columns.js';

const PASSWORD = 'correct horse battery';

/** Without the window of the indexer, whose blocks depend on where it started. */
const INDEXED = tablesOf('chain').filter((table) => table !== 'chain.block');

/**
 * The row of an event that was prepared here has more than chain and content: who prepared it, when, as what, and with which warnings.
 * Everything else is restored.
 */
const OF_PREPARATION = ['prepared_by', 'expected', 'calldata', 'expires_at', 'record_time', 'created_at', 'warnings', 'before_landing'];

const without = (rows: readonly Json[], columns: readonly string[]): readonly Json[] =>
  rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !columns.includes(name))));

const withoutRecordTime = (event: string): Json => {
  const { recordTime: _, ...rest } = JSON.parse(event) as Json;
  return rest;
};

/** An answer without what only the preparation of an event knew, and without when it was given. */
function lasting(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(lasting);
  if (answer === null || typeof answer !== 'object') return answer;
  const passing = 'calldataMismatch' in answer ? ['recordTime', 'createdAt', 'warnings'] : ['checkedAt', 'latencyMs', 'elapsedMs'];
  return Object.fromEntries(
    Object.entries(answer).flatMap(([name, value]) => (passing.includes(name) ? [] : [[name, lasting(value)] as const])),
  );
}

describe('a database that was lost completely', () => {
  let world: World;
  let trade: RiceTrade;
  let key: string;
  let before: Record<string, readonly Json[]>;
  let said: Record<string, unknown>;
  /** Prepared, not sent before the loss. */
  let open: Json;
  let moved: string;
  let noted: string;

  beforeAll(async () => {
    world = await World.start({ ALERTS_EVERY_MS: '250' });
    trade = await RiceTrade.of(world);
    await trade.api.webhooks.create(world.sink.url('/loss'), ['event.*', 'nft.*', 'custody.transferred']);
    await Promise.all([world.play('rice'), world.play('wool')]);
    await recallAndHold();
    await correct();
    await keep();
    await moveWallet();
    open = await trade.event(trade.farmA, {
      processType: 'RICE_HARVESTING',
      outputTlc: 'RH-20261101-OPEN',
      metadata: trade.metadataOf('RICE_HARVESTING'),
    });
    noted = await acknowledge();
    await settled();
    said = await answers();
    await world.stop();
    before = await everything(world.database.endpoint);
  });
  afterAll(() => world?.close());

  const admin = (): Promise<TraceabilityClient> => world.admin('rice');

  /** A recall that holds what it affects, of which somebody let one lot go; a lot that quality holds; a mock recall. */
  async function recallAndHold(): Promise<void> {
    const [root, broken] = [await trade.tokenOf('RD-20260917-01'), await trade.tokenOf('RM-20260920-01B')];
    await trade.land(trade.admin, trade.recall(trade.admin, root, { reason: 'Glass', propagation: 'hold' }));
    await trade.api.post(`/api/v1/nfts/${broken}/release`);
    await trade.api.post(`/api/v1/nfts/${await trade.tokenOf('RM-20260920-01N')}/hold`, { reason: 'Lab' });
    await trade.api.post('/api/v1/recall/drills', { tokenId: root });
  }

  /** One harvest is declared wrong, the words of another are corrected. */
  async function correct(): Promise<void> {
    const [wrong, other] = [await trade.harvest(), await trade.harvest()];
    const eventOf = async ({ tokenId }: { tokenId: number }): Promise<string> => (await trade.lot(tokenId))['mintEventId'] as string;
    const { preparedTx } = await trade.api.post<Json>(`/api/v1/events/${await eventOf(wrong)}/void/prepare`, { reason: 'did_not_occur' });
    await trade.admin.land(preparedTx, 'void');
    const metadata = { ...trade.metadataOf('RICE_HARVESTING'), remark: 'the scales were read again' };
    const better = await trade.api.post<Json>(`/api/v1/events/${await eventOf(other)}/supersede/prepare`, { metadata });
    await trade.admin.land(better['preparedTx'], 'supersede');
  }

  /** Settings that are in the database only. */
  async function keep(): Promise<void> {
    await trade.api.request('PATCH', '/api/v1/passport-settings', { enabled: true });
    await trade.api.request('PATCH', '/api/v1/reports/alerts/limits', { limits: { footprintCoverage: 0.2 } });
    key = (await trade.api.post<{ secret: string }>('/api/v1/api-keys', { name: 'till', roles: ['AUDITOR'] })).secret;
  }

  /** The wallet of a member is another one from now on: the chain proposes it, and the member confirms it. */
  async function moveWallet(): Promise<void> {
    const lost = await funded();
    const found = await funded();
    const { id } = await trade.api.post<{ id: string }>('/api/v2/members', {
      email: 'loser@rice.example',
      roles: ['OPERATOR'],
      wallet: lost.address,
    });
    await givePassword(world, 'loser@rice.example', PASSWORD);
    await confirmWallet(world, { email: 'loser@rice.example', password: PASSWORD }, lost);
    const sign = async ({ preparedTxs }: Json): Promise<void> => {
      for (const { preparedTx } of preparedTxs) await trade.admin.sender.sendAndWait(preparedTx);
    };
    await sign(await trade.api.post<Json>(`/api/v2/members/${id}/grants/prepare`));
    const { tokenId } = await trade.harvest();
    await trade.land(trade.farmA, trade.custody(trade.farmA, { tokenIds: [tokenId], to: lost.address }));
    const replacement = await trade.api.post<Json>(`/api/v2/members/${id}/wallet/replace/prepare`, { wallet: found.address });
    await sign(replacement);
    const rpc = new Rpc(world.node.url);
    await rpc.call('evm_increaseTime', [7 * 86_400 + 60]);
    await rpc.call('evm_mine', []);
    await new Sender(world.node.url, found).sendAndWait(replacement['acceptance'].preparedTx);
    moved = found.address;
    await eventuallyHolds(async () => expect((await memberOf('loser@rice.example'))['proposedWallet']).toBe(moved));
    await confirmWallet(world, { email: 'loser@rice.example', password: PASSWORD }, found);
    expect(await walletOf('loser@rice.example')).toBe(moved);
  }

  /** Waits until all alert rules have run on the indexed head. */
  const alertsEvaluated = (): Promise<void> =>
    eventuallyHolds(async () => {
      const evaluations = await world.service.app
        .get(UnitOfWork)
        .asSystem((tx) =>
          tx.sql<{ whole: boolean }>(
            'select r.complete and r.evaluated_block = c.head_number as whole from reporting.alert_evaluation r cross join chain.cursor c',
          ),
        );
      expect(evaluations).toEqual(world.demo.tenants.map(() => ({ whole: true })));
    });

  /** Acknowledges the most severe alert. */
  async function acknowledge(): Promise<string> {
    const api = await admin();
    await alertsEvaluated();
    const { id } = (await api.get<{ alerts: Json[] }>('/api/v1/reports/alerts')).alerts[0]!;
    await api.post(`/api/v1/reports/alerts/${id as string}/ack`, { note: 'seen' });
    return id as string;
  }

  const memberOf = async (email: string): Promise<Json> =>
    (await (await admin()).get<{ data: Json[] }>('/api/v2/members')).data.find((member) => member['email'] === email)!;
  const walletOf = async (email: string): Promise<string> => (await memberOf(email))['wallet'] as string;

  async function funded(): Promise<InstanceType<typeof Wallet>> {
    const wallet = new Wallet(Wallet.createRandom().privateKey);
    await new Sender(world.node.url, operatorWallet()).sendAndWait({
      to: wallet.address,
      data: '0x',
      gasEstimate: 21_000,
      chainId: 31_337,
      value: 10n ** 18n,
    });
    return wallet;
  }

  /** The head is indexed and final, every topic is delivered, and passports, their archive and the EPCIS repository have followed. */
  const settled = (): Promise<void> =>
    eventuallyHolds(async () => {
      const head = Number(await new Rpc(world.node.url).call<string>('eth_blockNumber'));
      const [row, behind] = await world.service.app.get(UnitOfWork).asSystem(async (tx) => {
        const [found] = await tx.sql<{ head: string; final: string; waiting: string; issued: string; archived: string }>(
          `select head_number as head, final_number as final, coalesce((select min(issued_to) from passports.setting), head_number) as issued,
             coalesce((select min(archived_to) from passports.setting where enabled), head_number) as archived,
             (select count(*) from persistence.outbox where relayed_at is null) + (select count(*) from webhooks.delivery where status <> 'delivered')
               + (select count(*) from passports.passport where checked_at is null or content_hash is null and withdrawn_at is null) as waiting
           from chain.cursor`,
        );
        return [found, await world.service.app.get(RepositoryStateQueries, { strict: false }).behind(tx, { head, final: head })];
      });
      const at = String(head);
      expect({ ...row, behind }).toEqual({ head: at, final: at, waiting: '0', issued: at, archived: at, behind: [] });
    });

  /** What members read, in the words of the API. */
  async function answers(): Promise<Record<string, unknown>> {
    const api = await admin();
    const lots = ['RP262641', 'RM-20260920-01', 'RM-20260920-01B', 'RM-20260920-01N', 'RD-20260917-01'];
    const tokens = await Promise.all(lots.map(async (tlc) => Number((await api.lots.byTlc(tlc))['tokenId'])));
    const { data: all } = await api.get<{ data: Json[] }>('/api/v1/events?limit=100');
    const events = all.filter(({ status }) => status !== 'prepared');
    const { data: recalls } = await api.get<{ data: Json[] }>('/api/v1/recalls');
    const paths = [
      ...tokens.flatMap((id) =>
        ['', '/ancestry', '/descendants', '/custody', '/relations', '/footprint', '/recall-impact', '/events'].map(
          (of) => `/api/v1/nfts/${id}${of}`,
        ),
      ),
      ...events.map(({ id }) => `/api/v1/events/${id as string}`),
      ...events.slice(0, 5).map(({ id }) => `/api/v1/events/${id as string}/verify`),
      ...recalls.map(({ id }) => `/api/v1/recalls/${id as string}`),
      ...[
        'nfts',
        'recalls',
        'recall/drills',
        'passports',
        'passport-settings',
        'process-maps',
        'webhooks',
        'api-keys',
        'organisations',
        'rules',
      ].map((list) => `/api/v1/${list}`),
      '/api/v2/members',
      '/api/v1/chain',
      '/api/v1/reports/alerts/limits',
    ];
    const found: Record<string, unknown> = {};
    for (const path of paths) found[path] = lasting(await api.get(path));
    return found;
  }

  /** Alerts change with the time, whatever the chain does; not when they were seen first and who took note of them. */
  const lastingRows = (all: Record<string, readonly Json[]>, table: string): readonly Json[] => {
    const rows = all[table]!;
    // A move that is redone proposes nothing to those who have confirmed the address meanwhile.
    if (table === 'identity.wallet_move') return without(rows, ['member_ids']);
    // Events on chain are written again, and when one was prepared is not on chain.
    if (table === 'interchange.epcis_event')
      return without(rows, ['record_time']).map((row) => ({ ...row, event: withoutRecordTime(row['event']) }));
    if (table !== 'reporting.alert') return rows;
    const names = ['id', 'first_seen_at', 'detected_at', 'resolved_at', 'acknowledged_at', 'acknowledged_note'];
    return rows.filter(({ id }) => id === noted).map((row) => Object.fromEntries(names.map((name) => [name, row[name]])));
  };

  async function recover(): Promise<TestDatabase> {
    const database = await cloneTestDatabase(contexts);
    await restoreKept(before, database.endpoint);
    return database;
  }

  it('has a known origin for every table', async () => {
    expect(Object.keys(TABLE_ORIGINS).toSorted()).toEqual(Object.keys(before).toSorted());
  });

  it('had rows in each table that is restored from the chain', () => {
    expect(tablesOf('chain').filter((table) => before[table]!.length === 0)).toEqual(['identity.chain_process_scope']);
  });

  it('is restored row by row from the chain, the content store and a dump without the indexed rows', async () => {
    const sent = world.sink.at('/loss').length;
    await world.startAgain(await recover());
    // Stopped at any point of the recovery.
    await world.stop();
    await world.startAgain();
    await settled();
    const after = await everything(world.database.endpoint);
    for (const table of INDEXED) {
      const columns = table === 'traceability.event' ? OF_PREPARATION : [];
      const prepared = (row: Json): boolean => table !== 'traceability.event' || row['status'] !== 'prepared';
      expect([table, without(after[table]!, columns)]).toEqual([table, without(before[table]!.filter(prepared), columns)]);
    }
    for (const table of tablesOf('dump')) expect([table, lastingRows(after, table)]).toEqual([table, lastingRows(before, table)]);
    expect(world.sink.at('/loss').length).toBe(sent);
  });

  it('has its alerts again, with their acknowledgements, after the alert rules have run', async () => {
    await alertsEvaluated();
    const after = await everything(world.database.endpoint);
    expect(lastingRows(after, 'reporting.alert')).toEqual(lastingRows(before, 'reporting.alert'));
  });

  it('gives the same answers as before', async () => {
    expect(await answers()).toEqual(said);
    expect(await walletOf('loser@rice.example')).toBe(moved);
    expect((await fetch(`${world.baseUrl}/api/v1/nfts`, { headers: { 'x-api-key': key } })).status).toBe(200);
  });

  it('continues: an event that was prepared before the loss and sent after it lands with its content, and is published', async () => {
    await trade.farmA.sender.sendAndWait(open['preparedTx']);
    await eventuallyHolds(async () => expect((await (await admin()).lots.byTlc('RH-20261101-OPEN'))['status']).toBe('active'));
    await eventually('its webhook', () => world.sink.at('/loss').some(({ body }) => body.toString().includes(open['eventId'] as string)));
  });

  describe('without any dump', () => {
    const cli = (...command: readonly string[]): Promise<string> =>
      outputOf(command, { ...world.environment, CHAIN_REGISTRY: registry(), TRACE_PASSWORD: PASSWORD });
    const registry = (): string => before['chain.deployment']![0]!['registry'] as string;
    /** Of the tenant, whatever its id is. Who belongs to which organisation is not known any more, nor why an event was declared wrong. */
    const ofRice = (all: Record<string, readonly Json[]>, table: string): readonly Json[] => {
      const { id } = all['identity.tenant']!.find(({ slug }) => slug === 'rice')!;
      return without(
        all[table]!.filter(({ tenant_id: of }) => of === id),
        ['tenant_id', ...(table === 'traceability.event' ? [...OF_PREPARATION, 'org_id'] : [])],
      ).map((row) => (row['error_declaration'] ? { ...row, error_declaration: { ...row['error_declaration'], reason: null } } : row));
    };
    let whole: Record<string, readonly Json[]>;
    const unsealed = (all: Record<string, readonly Json[]>, table: string) => without(ofRice(all, table), SEALED_COLUMNS[table] ?? []);

    beforeAll(async () => {
      await settled();
      await world.stop();
      whole = await everything(world.database.endpoint);
    });

    it('changes nothing for a contract that it does not know, and says what to do', async () => {
      const lines: string[] = [];
      const log = { write: (line: string) => void lines.push(line) };
      await world.startAgain(
        await cloneTestDatabase(contexts),
        { CHAIN_REGISTRY: registry(), LOG_LEVEL: 'warn' },
        pino({ level: 'warn' }, log),
      );
      await eventuallyHolds(async () => {
        const { head, final } = JSON.parse(await cli('chain', 'status')) as { head: number; final: number };
        expect([head, final]).toEqual([expect.any(Number), head]);
        expect(head).toBe(Number(await new Rpc(world.node.url).call<string>('eth_blockNumber')));
      });
      const found = await everything(world.database.endpoint);
      expect(INDEXED.filter((table) => found[table]!.length > 0)).toEqual([]);
      expect(lines.filter((line) => line.includes('which is not a tenant of this database')).length).toBeGreaterThanOrEqual(2);
      expect(lines.join()).toContain('cli chain reindex');
    });

    it('has the chain and the public words of the content store again for a tenant that is created with the same slug', async () => {
      const address = new Wallet(world.tenant('rice').admin.privateKey).address;
      await cli('tenant', 'create', 'rice', '--name', 'Rice', '--admin-email', 'eve@rice.example', '--admin-wallet', address);
      await cli('chain', 'reindex');
      const eve = await TraceabilityClient.login(world.baseUrl, 'eve@rice.example', PASSWORD, 'rice');
      expect(await eve.lots.byTlc('RP262641')).toMatchObject({ assetType: 'RICE_PACKED_5KG' });
      await eve.post('/api/v1/process-maps', readTemplate('rice'));
      await cli('chain', 'reindex');
      await settled();
      const after = await everything(world.database.endpoint);
      for (const table of INDEXED) expect([table, unsealed(after, table)]).toEqual([table, unsealed(whole, table)]);
    });
  });
});
