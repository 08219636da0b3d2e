import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { LogBatch } from '#chain';
import { type Hex, ZERO_BYTES32, eventIdBytes, keccakOf, newId } from '#kernel';
import type { TenantTx } from '#persistence';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { keysPersistence } from '#sealed-contents';
import { LOT_STATUSES, traceabilityPersistence } from '#traceability';
import {
  LogWriter,
  MAX_UINT256,
  ResolveContentJob,
  UnresolvedQueries,
  type StatusFacts,
  lotStatus,
  lotStatusSql,
  landingParts,
} from '#traceability/testing';

const CONTRACT = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const FARM = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const MILL = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const SHOP = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const KG = 1_000_000n;
const TABLES = ['lot', 'event_lot', 'edge', 'recall_affected', 'account_roles', 'event'] as const;

describe('landing', () => {
  let db: TestDatabase;
  let tenant: { readonly tenantId: string };
  const { content, opening, handler, lots, lineage } = landingParts('demo', { [FARM]: 'org-farm', [MILL]: 'org-mill' });

  beforeAll(async () => {
    db = await cloneTestDatabase([traceabilityPersistence, keysPersistence]);
  });
  afterAll(() => db.drop());
  beforeEach(async () => {
    tenant = { tenantId: newId() };
    content.answers = 'at once';
    await asTenant((tx) => tx.sql('delete from persistence.outbox'));
    await db.unitOfWork.asSystem((tx) => handler.undo(tx, 31_337, 0));
  });

  const asTenant = <T>(work: (tx: TenantTx) => Promise<T>): Promise<T> => db.unitOfWork.inTransaction(tenant, work);
  const land = (batch: LogBatch): Promise<void> => asTenant((tx) => handler.apply(tx, batch));
  const undo = (lastGoodBlock: number): Promise<void> => db.unitOfWork.asSystem((tx) => handler.undo(tx, 31_337, lastGoodBlock));
  const current = (...tokenIds: bigint[]) =>
    asTenant(async (tx) => (await lots.byTokenIds(tx, tokenIds)).toSorted((a, b) => Number(a.tokenId - b.tokenId)));
  const event = async (id: string) => (await asTenant((tx) => tx.sql('select * from traceability.event where id = $1', [id])))[0]!;
  const published = () =>
    asTenant(async (tx) =>
      (await tx.sql<{ topic: string; body: string }>('select topic, body from persistence.outbox order by seq')).map((row) => ({
        topic: row.topic,
        data: (JSON.parse(row.body) as { data: Record<string, unknown> }).data,
      })),
    );
  /** Every row of every table that landing writes, without the tenant; affected sets as they are now, their past depends on the batches. */
  const everything = () =>
    asTenant(async (tx) =>
      Object.fromEntries(
        await Promise.all(
          TABLES.map(async (table) => {
            const rows = await tx.sql<{ row: object }>(
              `select to_jsonb(t) - 'tenant_id' as row from traceability.${table} t ${table === 'recall_affected' ? 'where to_block is null' : ''}`,
            );
            return [table, rows.map(({ row }) => JSON.stringify(row)).toSorted()];
          }),
        ),
      ),
    );

  /** A harvest of ten lots, milled into one, packed, sent, unpacked, sold; a recall and a voided event on the way. */
  function story(fork = ''): LogWriter {
    const book = new LogWriter(CONTRACT, 31_337, fork);
    const harvests = Array.from({ length: 10 }, (_, i) => ({ tlc: `H${i}`, custodian: FARM, quantity: 10n * KG }));
    book.send('RolesChanged', { account: SHOP, roles: 1n });
    book.record({ id: ids[0]!, processType: 'HARVEST', actor: FARM, outputs: harvests }).mine();
    const inputs = harvests.map(({ tlc }) => book.token(tlc));
    const consumed = [...inputs.slice(1).map(() => 10n * KG), 4n * KG];
    book
      .record({
        id: ids[1]!,
        processType: 'MILL',
        actor: FARM,
        inputs,
        consumed,
        outputs: [{ tlc: 'R', custodian: FARM, quantity: 60n * KG }],
      })
      .mine();
    const [rice, rest] = [book.token('R'), book.token('H9')];
    book.record({
      id: ids[2]!,
      processType: 'PACK',
      actor: FARM,
      mode: 1,
      inputs: [rest, rice],
      outputs: [{ tlc: 'P', custodian: FARM }],
    });
    const pallet = book.token('P');
    const offer = book.offer([pallet], FARM, MILL);
    book.mine().accept(offer, [pallet], FARM, MILL, { id: ids[3]!, processType: 'RECEIVE', actor: MILL });
    book.send('LotsRecalled', { actor: SHOP, dataHash: ZERO_BYTES32, tokenIds: [rice] }).mine();
    book.record({ id: ids[4]!, processType: 'UNPACK', actor: MILL, mode: 2, inputs: [pallet] });
    book.send('RecallLifted', { actor: SHOP, dataHash: ZERO_BYTES32, tokenIds: [rice] }).mine();
    const dried = [{ tlc: 'D', custodian: MILL, quantity: 5n * KG }];
    book.record({ id: ids[5]!, processType: 'DRY', actor: MILL, inputs: [rest], consumed: [6n * KG], outputs: dried }).mine();
    book.send('EventVoided', { eventId: eventIdBytes(ids[5]!), actor: MILL, dataHash: ZERO_BYTES32 });
    book.record({ id: ids[6]!, processType: 'DRY', actor: SHOP });
    book.send('EventAmended', { eventId: eventIdBytes(ids[1]!), amendmentId: eventIdBytes(ids[6]!), actor: SHOP }).mine();
    book.send('WalletMoved', { from: MILL, to: SHOP, party: 2n });
    const retirement = { actor: SHOP, reason: 1, eventId: ZERO_BYTES32, dataHash: ZERO_BYTES32 };
    book.send('LotsRetired', { ...retirement, tokenIds: [rice], quantities: [60n * KG] });
    return book;
  }
  const ids = Array.from({ length: 7 }, newId);

  it('ends with the same rows block by block and in one range', async () => {
    const book = story();
    for (let block = 1; block <= book.blockNumber; block++) await land(book.batch(block, block));
    const stepwise = await everything();
    await undo(0);
    expect((await everything()).lot).toEqual([]);
    await land(book.batch());
    expect(await everything()).toEqual(stepwise);
  });

  it('is after every reorg what a fold from scratch gives', async () => {
    const book = story();
    const last = book.blockNumber;
    const upTo: Awaited<ReturnType<typeof everything>>[] = [await everything()];
    for (let block = 1; block <= last; block++) {
      await land(book.batch(block, block));
      upTo.push(await everything());
    }
    for (let block = last - 1; block >= 0; block--) {
      await undo(block);
      expect(await everything()).toEqual(upTo[block]);
      await land(book.batch(block + 1, last));
      expect(await everything()).toEqual(upTo[last]);
    }
  });

  it('replaces every position when the same transactions land on another branch', async () => {
    const book = story();
    await land(book.batch());
    const other = story(' on another branch');
    await undo(3);
    await land(other.batch(4));
    const { block_hash: hash } = await event(ids[5]!);
    expect(hash).toBe(other.logs.find((log) => log.block.number === 6)!.block.hash);
  });

  it('tells what became of each lot', async () => {
    const book = story();
    await land(book.batch());
    const [h0, h9, rice, pallet, dried] = await current(...['H0', 'H9', 'R', 'P', 'D'].map((tlc) => book.token(tlc)));
    expect(h0).toMatchObject({ status: 'consumed', remaining: 0n, custodian: FARM });
    expect(h9).toMatchObject({ status: 'active', remaining: 6n * KG, custodian: SHOP, containerTokenId: null });
    expect(rice).toMatchObject({ status: 'retired', remaining: 60n * KG, custodian: SHOP, recalled: false });
    expect(pallet).toMatchObject({ status: 'retired', isContainer: true, holdsRecalled: true, offerNo: 1n, quantity: null });
    expect(dried).toMatchObject({ status: 'retired' });
  });

  it('tells what a container held right after a log, and what it no longer holds', async () => {
    const book = story();
    await land(book.batch());
    const containerTokenId = book.token('P');
    const at = (name: string) => {
      const log = book.logs.find((one) => one.name === name)!;
      return { block: log.block.number, logIndex: log.logIndex };
    };
    const unpacked = { block: book.logs.find((log) => log.name === 'RecallLifted')!.block.number, logIndex: 0 };
    const found = await asTenant((tx) =>
      lots.contentsAt(tx, [
        { containerTokenId, moment: at('CustodyAccepted') },
        { containerTokenId, moment: unpacked },
      ]),
    );
    expect(found.map((lot) => [lot.moment.block, lot.tokenId, lot.viaTokenId])).toEqual(
      [book.token('H9'), book.token('R')].map((tokenId) => [at('CustodyAccepted').block, tokenId, containerTokenId]),
    );
  });

  it('keeps the set that a recall affects: extended at each mint, left by voided outputs, ended when it is lifted', async () => {
    const book = new LogWriter(CONTRACT);
    book.record({ id: newId(), processType: 'HARVEST', actor: FARM, outputs: [{ tlc: 'A', custodian: FARM, quantity: KG }] });
    const [a, voided] = [book.token('A'), newId()];
    const use = (id: string, input: bigint, tlc: string) =>
      book.record({
        id,
        processType: 'USE',
        actor: FARM,
        inputs: [input],
        consumed: [10n],
        outputs: [{ tlc, custodian: FARM, quantity: KG }],
      });
    use(newId(), a, 'B').mine();
    book.send('LotsRecalled', { actor: FARM, dataHash: ZERO_BYTES32, tokenIds: [a] }).mine();
    use(newId(), book.token('B'), 'C').mine();
    use(voided, a, 'V').mine();
    book.send('EventVoided', { eventId: eventIdBytes(voided), actor: FARM, dataHash: ZERO_BYTES32 }).mine();
    book.send('RecallLifted', { actor: FARM, dataHash: ZERO_BYTES32, tokenIds: [a] });
    const affected = async (): Promise<number[]> =>
      asTenant(async (tx) =>
        (await tx.sql<{ token_id: string }>('select token_id from traceability.recall_affected where to_block is null order by 1')).map(
          (row) => Number(row.token_id),
        ),
      );
    const seen: number[][] = [];
    for (let block = 1; block <= book.blockNumber; block++) {
      await land(book.batch(block, block));
      seen.push(await affected());
    }
    expect(seen).toEqual([[], [1, 2], [1, 2, 3], [1, 2, 3, 4], [1, 2, 3], []]);
    await undo(4);
    expect(await affected()).toEqual([1, 2, 3, 4]);
  });

  it('walks what a recall affects and says where it was cut', async () => {
    const book = story();
    await land(book.batch());
    const walk = (maxDepth: number, maxNodes: number) => asTenant((tx) => lineage.affectedBy(tx, book.token('H9'), { maxDepth, maxNodes }));
    const [rice, pallet] = [book.token('R'), book.token('P')];
    expect(await walk(50, 5000)).toEqual({
      lots: [
        { tokenId: rice, depth: 1, relation: 'transformed' },
        { tokenId: pallet, depth: 1, relation: 'container' },
      ],
      truncated: false,
      truncatedBy: null,
      frontier: [],
    });
    expect(await walk(50, 1)).toMatchObject({ truncated: true, lots: [{ tokenId: rice }] });
  });

  describe('an event that was recorded without us', () => {
    const [id, milling] = [newId(), newId()];
    const output = { tlc: 'F-1', custodian: FARM, quantity: 3n * KG };
    const envelope = {
      v: 1,
      tenant: 'demo',
      chainId: 31_337,
      contract: CONTRACT,
      eventId: id,
      processType: 'HARVEST',
      processMap: 'fields',
      processMapVersion: '1.0.0',
      outputTlc: 'F-1',
      outputCustodian: FARM,
      outputs: [{ tlc: 'F-1', assetType: 'GOODS', custodian: FARM, quantity: 3, uom: 'KGM', expiresAt: null }],
      metadata: { eventTime: '2026-08-01T06:00:00Z', eventTimeZoneOffset: '+07:00', location: { name: 'Field' } },
    };
    const recorded = (dataHash: Hex) =>
      new LogWriter(CONTRACT).record({ id, processType: 'HARVEST', actor: FARM, dataHash, outputs: [output] });

    it('gets its texts when its content is available', async () => {
      const { cid, dataHash } = await content.keep(envelope);
      const book = recorded(dataHash);
      await land(book.batch());
      expect(await current(1n)).toMatchObject([{ tlc: 'F-1', resolved: true, assetType: 'GOODS', uom: 'KGM', processMapName: 'fields' }]);
      expect(await event(id)).toMatchObject({
        status: 'recorded',
        process_type: 'HARVEST',
        org_id: 'org-farm',
        ipfs_cid: cid,
        resolved: true,
        metadata: envelope.metadata,
        location: { name: 'Field' },
        late: true,
      });
    });

    it('is named downgraded when it is of version 1 after a sealed content, whether its content is there or turns up later', async () => {
      const batch = recorded((await content.keep(envelope)).dataHash).batch();
      await land(batch);
      expect(await event(id)).toMatchObject({ resolved: true, content_state: 'open' });
      await undo(0);
      await asTenant((tx) =>
        tx.sql('insert into traceability.sealing_start (tenant_id, chain_id, block_number) values ($1, 31337, 0)', [tx.tenantId]),
      );
      await land(batch);
      expect(await event(id)).toMatchObject({ resolved: true, content_state: 'downgraded', metadata: envelope.metadata });
      await undo(0);
      content.answers = 'not';
      await land(batch);
      expect(await event(id)).toMatchObject({ resolved: false, content_state: null });
      content.answers = 'at once';
      const now = new Date('2026-11-28T01:00:00Z');
      const job = new ResolveContentJob(db.unitOfWork, content, opening, new UnresolvedQueries(), { now: () => now });
      expect(await job.run(new AbortController().signal)).toBe(1);
      expect(await event(id)).toMatchObject({ resolved: true, content_state: 'downgraded' });
    });

    it('gets the words that it would have had when its content turns up later, and what was made of its lots with it', async () => {
      const first = await content.keep(envelope);
      const second = await content.keep({
        ...envelope,
        eventId: milling,
        processType: 'MILL',
        outputTlc: 'F-2',
        outputs: [{ ...envelope.outputs[0], tlc: 'F-2' }],
      });
      const book = recorded(first.dataHash);
      book.record({
        ...{ id: milling, processType: 'MILL', actor: FARM, dataHash: second.dataHash, inputs: [1n], consumed: [1n * KG] },
        outputs: [{ tlc: 'F-2', custodian: FARM, quantity: 1n * KG }],
      });
      book.mine().offer([2n], FARM, MILL);
      const batch = book.batch();
      await land(batch);
      const known = await everything();

      await undo(0);
      content.answers = 'not';
      await land(batch);
      expect(await current(1n)).toMatchObject([{ resolved: false, assetType: null }]);
      let now = new Date('2026-11-28T00:00:00Z');
      const job = new ResolveContentJob(db.unitOfWork, content, opening, new UnresolvedQueries(), { now: () => now });
      const resolve = () => job.run(new AbortController().signal);
      expect(await resolve()).toBe(0);
      content.answers = 'at once';
      expect(await resolve()).toBe(0); // not due yet
      now = new Date('2026-11-28T00:01:01Z');
      // The second first: whichever turns up earlier, the events of both tell the same in the end.
      content.missing.add(first.cid);
      expect(await resolve()).toBe(1);
      content.missing.clear();
      now = new Date('2026-11-28T00:04:00Z');
      expect(await resolve()).toBe(1);
      expect(await resolve()).toBe(0);
      const found = await everything();
      const statuses = (rows: readonly string[]): object[] =>
        rows.map((row) => ({ ...(JSON.parse(row) as object), content_tries: 0, content_next_at: null, updated_at: null }));
      for (const table of TABLES) expect([table, statuses(found[table] ?? [])]).toEqual([table, statuses(known[table] ?? [])]);
    });

    it('has its yield and mass balance by its map and its own words', async () => {
      const map = {
        ...{
          key: 'fields',
          defaults: { massBalanceTolerance: 0.05 },
          assetTypes: { GOODS: { name: 'Goods', uom: 'H87', massPerUnitKg: 2 } },
        },
        processes: {
          MILL: {
            label: 'Mill',
            kind: 'transformation',
            yield: { min: 0.6, max: 0.9 },
            massBalance: { mode: 'mass' },
            fields: { losses: '/waste' },
          },
        },
      };
      await asTenant((tx) =>
        tx.sql(
          `insert into traceability.process_map (tenant_id, name, version, document, cid, published_at, published_by) values ($1, 'fields', '1.0.0', $2, 'bafk', now(), 'test')`,
          [tenant.tenantId, JSON.stringify(map)],
        ),
      );
      const [harvest, milled] = [newId(), newId()];
      const words = {
        ...envelope,
        outputTlc: null,
        outputs: [{ tlc: 'H', assetType: 'GOODS', custodian: FARM, quantity: 5, uom: 'H87', expiresAt: null }],
      };
      const first = await content.keep({ ...words, eventId: harvest });
      const second = await content.keep({
        ...{ ...words, eventId: milled, processType: 'MILL' },
        outputs: [{ ...words.outputs[0], tlc: 'M', quantity: 8, uom: 'KGM' }],
        metadata: { ...envelope.metadata, waste: [{ kind: 'dust', quantity: { value: 1, uom: 'KGM' } }] },
      });
      const book = new LogWriter(CONTRACT);
      const made = { assetType: 'GOODS', custodian: FARM };
      book.record({
        id: harvest,
        processType: 'HARVEST',
        actor: FARM,
        dataHash: first.dataHash,
        outputs: [{ ...made, tlc: 'H', quantity: 5n * KG }],
      });
      book.record({
        ...{ id: milled, processType: 'MILL', actor: FARM, dataHash: second.dataHash, inputs: [1n], consumed: [5n * KG] },
        outputs: [{ ...made, tlc: 'M', quantity: 8n * KG }],
      });
      await land(book.batch());
      const [facts] = await asTenant((tx) =>
        tx.sql(
          `select input_kg::float, main_output_kg::float, declared_loss_kg::float, gap_kg::float, yield::float, mass_tolerance::float, yield_outside,
             balance_outside, unmeasured from traceability.event_v1 where id = $1`,
          [milled],
        ),
      );
      expect(facts).toEqual({
        ...{ input_kg: 10, main_output_kg: 8, declared_loss_kg: 1, gap_kg: 1, yield: 0.8, mass_tolerance: 0.05 },
        ...{ yield_outside: false, balance_outside: true, unmeasured: false },
      });
    });

    it.each([
      ['is nowhere', () => Promise.resolve(keccakOf('nothing'))],
      ['is about another event', async () => (await content.keep({ ...envelope, eventId: newId() })).dataHash],
      ['is of another contract', async () => (await content.keep({ ...envelope, contract: SHOP })).dataHash],
      ['is not canonical', async () => (await content.put(Buffer.from(JSON.stringify(envelope, null, 2)))).dataHash],
      ['cannot be stored', async () => (await content.keep({ ...envelope, metadata: { note: '\u0000' } })).dataHash],
      ['is no JSON', async () => (await content.put(Buffer.from([0xff, 0xfe]))).dataHash],
    ])('is shown by its hashes when its content %s', async (_, dataHash) => {
      await land(recorded(await dataHash()).batch());
      expect(await current(1n)).toMatchObject([{ tlc: keccakOf('F-1'), resolved: false, assetType: null, quantity: 3n * KG }]);
      expect(await event(id)).toMatchObject({ status: 'recorded', resolved: false, metadata: null });
    });

    it.each(['never', 'not'] as const)('does not hold up its block when the store answers %s', async (answers) => {
      const { dataHash } = await content.keep(envelope);
      content.answers = answers;
      await land(recorded(dataHash).batch());
      expect(await event(id)).toMatchObject({ resolved: false });
    });

    it('has an id of its own where the one on chain is no UUID, and where a predecessor has it already', async () => {
      const book = recorded(keccakOf('x'));
      await land(book.batch());
      const successor = new LogWriter(MILL);
      successor.record({ id, processType: 'HARVEST', actor: FARM });
      await land(successor.mine().batch());
      const rows = await asTenant((tx) => tx.sql<{ id: string }>('select id from traceability.event'));
      expect(rows).toHaveLength(2);
      expect(rows).toContainEqual({ id });
    });
  });

  describe('an event that was prepared here', () => {
    const id = newId();
    const dataHash = keccakOf('prepared content');
    const outputs = [
      { tokenId: null, tlc: 'X-1', tlcHash: keccakOf('X-1'), assetType: 'GOODS', role: 'main', quantity: 2, uom: 'KGM', custodian: FARM },
    ];
    const args = {
      eventId: eventIdBytes(id),
      processId: keccakOf('HARVEST'),
      inputTokenIds: [],
      inputQuantities: [],
      outputs: [{ tlcHash: keccakOf('X-1'), assetType: keccakOf('GOODS'), custodian: FARM, quantity: '2000000', expiresAt: '0' }],
      containmentMode: 0,
      dataHash,
    };
    const prepare = () =>
      asTenant((tx) =>
        tx.sql(
          `insert into traceability.event (tenant_id, id, chain_event_id, status, process_type, process_id, process_map_name, process_map_version, kind,
             containment_mode, event_time, event_time_zone_offset, record_time, actor_address, outputs, output_tlc, metadata, ipfs_cid, data_hash, expected, created_at, updated_at)
           values ($1, $2, $3, 'submitted', 'HARVEST', $4, 'fields', '1.0.0', 'creation', 0, '2026-08-31T20:00:00Z', '+02:00', '2026-08-31T21:00:00Z',
             $5, $6, 'X-1', '{"note": "kept"}', 'cid', $7, $8, '2026-08-31T21:00:00Z', '2026-08-31T21:00:00Z')`,
          [
            tenant.tenantId,
            id,
            args.eventId,
            args.processId,
            MILL,
            JSON.stringify(outputs),
            dataHash,
            JSON.stringify({ method: 'recordEvent', args }),
          ],
        ),
      );
    const asPrepared = { id, processType: 'HARVEST', actor: FARM, dataHash, outputs: [{ tlc: 'X-1', custodian: FARM, quantity: 2n * KG }] };

    it('gets its landed half, and loses it again in a reorg', async () => {
      await prepare();
      const before = await event(id);
      await land(new LogWriter(CONTRACT).record(asPrepared).batch());
      expect(await event(id)).toMatchObject({
        status: 'recorded',
        calldata_mismatch: false,
        actor_address: FARM,
        output_token_ids: ['1'],
        outputs: [{ tokenId: 1, tlc: 'X-1', role: 'main', quantity: 2, uom: 'KGM' }],
        metadata: { note: 'kept' },
        block_number: '1',
      });
      expect(await current(1n)).toMatchObject([{ tlc: 'X-1', processMapName: 'fields', uom: 'KGM', mintEventId: id }]);
      await undo(0);
      expect(await event(id)).toEqual(before);
    });

    it.each([
      ['another quantity', { outputs: [{ tlc: 'X-1', custodian: FARM, quantity: 3n * KG }] }, { output_tlc: 'X-1' }],
      ['another code', { outputs: [{ tlc: 'Y-9', custodian: FARM, quantity: 2n * KG }] }, { output_tlc: keccakOf('Y-9') }],
      ['another process', { processType: 'STEAL' }, { process_id: keccakOf('STEAL'), process_type: null }],
      ['other content', { dataHash: keccakOf('other') }, { data_hash: keccakOf('other'), metadata: null, resolved: false }],
    ])('is flagged, and shown as the chain has it, when %s landed', async (_, changed, shown) => {
      await prepare();
      const before = await event(id);
      await land(new LogWriter(CONTRACT).record({ ...asPrepared, ...changed }).batch());
      expect(await event(id)).toMatchObject({ status: 'recorded', calldata_mismatch: true, ...shown });
      await undo(0);
      expect(await event(id)).toEqual(before);
    });
  });

  describe('webhook topics', () => {
    it('carry ids and hashes, no metadata and no names, once per fact', async () => {
      const book = story();
      await land(book.batch());
      const first = await published();
      await undo(0);
      await land(book.batch());
      expect(await published()).toEqual(first);
      const minted = first.find(({ topic, data }) => topic === 'nft.created' && data['tokenId'] === 11)!;
      expect(minted.data).toEqual({
        tenantId: 'demo',
        chainId: 31_337,
        contractAddress: CONTRACT,
        txHash: expect.stringMatching(/^0x/),
        blockNumber: 2,
        occurredAt: '2026-09-01T00:00:02.000Z',
        tokenId: 11,
        tlc: keccakOf('R'),
        gtin: null,
        serial: null,
        assetType: null,
        assetTypeName: null,
        processMapName: null,
        custodian: FARM,
        quantity: 60,
        uom: null,
        metadataCid: expect.stringMatching(/^bafkrei/),
        dataHash: expect.stringMatching(/^0x/),
        expiresAt: null,
        mintEventId: ids[1],
        parentTokenIds: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        digitalLink: null,
      });
      const milled = first.find(({ topic, data }) => topic === 'event.recorded' && data['eventId'] === ids[1])!;
      expect(Object.keys(milled.data).toSorted()).toEqual(
        [
          ...['tenantId', 'chainId', 'contractAddress', 'txHash', 'blockNumber', 'occurredAt', 'eventId', 'processType', 'processId'],
          ...['processMapName', 'processMapVersion', 'kind', 'containmentMode', 'eventTime', 'eventTimeZoneOffset', 'recordTime'],
          ...[
            'inputTokenIds',
            'outputTokenIds',
            'outputTlc',
            'outputCustodian',
            'actor',
            'orgId',
            'ipfsCid',
            'dataHash',
            'logIndex',
            'supersedes',
            'preparedSender',
            'senderMismatch',
          ],
        ].toSorted(),
      );
      expect(milled.data).toMatchObject({ actor: FARM, orgId: 'org-farm', outputTokenIds: [11] });
    });
  });

  it('takes the reason of a void from what was prepared here, again after it was taken back', async () => {
    const book = new LogWriter(CONTRACT);
    const [id, hash] = [newId(), keccakOf('a declaration')];
    book.record({ id, processType: 'HARVEST', actor: FARM, outputs: [{ tlc: 'W', custodian: FARM, quantity: KG }] }).mine();
    book.send('EventVoided', { eventId: eventIdBytes(id), actor: FARM, dataHash: hash });
    const prepare = (dataHash: Hex, reason: string): Promise<unknown> =>
      asTenant((tx) =>
        tx.sql(
          `insert into traceability.error_declaration (tenant_id, event_id, data_hash, reason, corrective_event_ids, prepared_at, prepared_by)
           values ($1, $2, $3, $4, array[$2]::uuid[], now(), 'test')`,
          [tenant.tenantId, id, dataHash, reason],
        ),
      );
    await prepare(keccakOf('another one'), 'incorrect_data');
    await prepare(hash, 'did_not_occur');
    await land(book.batch());
    const declared = { reason: 'did_not_occur', correctiveEventIDs: [id], dataHash: hash, actor: FARM };
    expect(await event(id)).toMatchObject({ status: 'voided', error_declaration: declared });
    await undo(1);
    expect(await event(id)).toMatchObject({ status: 'recorded', error_declaration: null });
    await land(book.batch(2));
    expect(await event(id)).toMatchObject({ status: 'voided', error_declaration: declared });
  });

  it('uses up an unmeasured lot, and gives it back when the event is voided', async () => {
    const book = new LogWriter(CONTRACT);
    const [made, used] = [newId(), newId()];
    book.record({ id: made, processType: 'HARVEST', actor: FARM, outputs: [{ tlc: 'U', custodian: FARM }] }).mine();
    book
      .record({
        id: used,
        processType: 'USE',
        actor: FARM,
        inputs: [1n],
        consumed: [MAX_UINT256],
        outputs: [{ tlc: 'W', custodian: FARM }],
      })
      .mine();
    await land(book.batch());
    expect(await current(1n)).toMatchObject([{ status: 'consumed', quantity: null, remaining: null }]);
    book.send('EventVoided', { eventId: eventIdBytes(used), actor: FARM, dataHash: ZERO_BYTES32 });
    await land(book.batch(3));
    expect(await current(1n, 2n)).toMatchObject([{ status: 'active' }, { status: 'retired' }]);
    expect(await event(used)).toMatchObject({ status: 'voided', void_block: '3' });
  });

  it.each<[string, readonly (number | null)[], object]>([
    ['nothing went in', [0, 5, 0, 0, null, null, null], { gap_kg: null, yield: null, balance_outside: null, yield_outside: null }],
    [
      'all is accounted for',
      [100, 70, 20, 10, 0.6, 0.8, 0.02],
      { gap_ratio: 0, yield: 0.7, material_yield: 0.9, balance_outside: false, yield_outside: false },
    ],
    ['too much is missing', [100, 70, 20, 7, 0.6, 0.8, 0.02], { gap_kg: 3, balance_outside: true }],
    ['the gap is just tolerated', [100, 70, 20, 8, 0.6, 0.8, 0.02], { gap_kg: 2, balance_outside: false }],
    ['more comes out than went in', [100, 90, 10.5, 0, null, null, 0.5], { gap_kg: -0.5, balance_outside: true, yield_outside: null }],
    ['the yield is too high', [100, 81, 19, 0, 0.6, 0.8, null], { yield: 0.81, yield_outside: true, balance_outside: null }],
    ['a loss has no mass', [100, 70, 20, null, 0.6, 0.8, 0.02], { gap_kg: null, yield: 0.7, balance_outside: null }],
  ])('judges a mass balance where %s', async (_, facts, expected) => {
    const [judged] = await asTenant((tx) =>
      tx.sql(
        `select gap_kg::float, gap_ratio::float, yield::float, material_yield::float, yield_outside, balance_outside
         from traceability.mass_balance($1, $2, $3, $4, $5, $6, $7)`,
        facts,
      ),
    );
    expect(judged).toMatchObject(expected);
  });

  it('publishes lots with the statuses of the rules, in their order', async () => {
    const [view] = await asTenant((tx) => tx.sql<{ text: string }>(`select pg_get_viewdef('traceability.lot_v1'::regclass) as text`));
    const statuses = [...view!.text.matchAll(/(?:THEN|ELSE) '(\w+)'::text/g)].map((match) => match[1]);
    expect(statuses).toEqual(LOT_STATUSES);
  });

  it('reads a status by the same rule in code and in SQL', async () => {
    const [past, future, now] = ['2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z', '2026-06-01T00:00:00Z'].map((text) => new Date(text));
    const choices = {
      retiredAt: [null, past!],
      recalledAt: [null, past!],
      usedUp: [false, true],
      pendingCustodian: [null, MILL],
      containerTokenId: [null, 4n],
      heldAt: [null, past!],
      expiresAt: [null, past!, now!, future!],
    };
    const every = Object.entries(choices).reduce<object[]>(
      (facts, [name, values]) => facts.flatMap((fact) => values.map((value) => ({ ...fact, [name]: value }))),
      [{}],
    ) as StatusFacts[];
    const rows = await asTenant((tx) =>
      tx.sql<{ status: string }>(
        `select ${lotStatusSql('l', 'l.held_at', '$8::timestamptz')} as status
         from unnest($1::timestamptz[], $2::timestamptz[], $3::boolean[], $4::text[], $5::bigint[], $6::timestamptz[], $7::timestamptz[]) with ordinality
              as l(retired_at, recalled_at, used_up, pending_custodian, container_token_id, held_at, expires_at, n)
         order by n`,
        [...Object.keys(choices).map((name) => every.map((facts) => facts[name as keyof StatusFacts])), now],
      ),
    );
    expect(rows.map((row) => row.status)).toEqual(every.map((facts) => lotStatus(facts, now!)));
    expect(new Set(rows.map((row) => row.status)).size).toBe(8);
  });

  it('keeps what far dates and the largest quantities say', async () => {
    const largest = (1n << 80n) - 1n;
    const outputs = [{ tlc: 'BIG', custodian: FARM, quantity: largest, expiresAt: (1n << 40n) - 1n }];
    await land(new LogWriter(CONTRACT).record({ id: newId(), processType: 'HARVEST', actor: FARM, outputs }).batch());
    expect(await current(1n)).toMatchObject([{ quantity: largest, remaining: largest, status: 'active' }]);
  });

  it('counts a correction only from the recorder of the event or an admin of the contract', async () => {
    const [original, stranger, own] = [newId(), newId(), newId()];
    const book = new LogWriter(CONTRACT);
    const amend = (amendmentId: string, actor: string) => {
      book.record({ id: amendmentId, processType: 'HARVEST', actor });
      book.send('EventAmended', { eventId: eventIdBytes(original), amendmentId: eventIdBytes(amendmentId), actor }).mine();
    };
    book.record({ id: original, processType: 'HARVEST', actor: FARM }).mine();
    amend(stranger, MILL);
    await land(book.batch());
    expect(await event(original)).toMatchObject({ status: 'recorded', superseded_by: null });
    amend(own, FARM);
    await land(book.batch(3));
    expect(await event(original)).toMatchObject({ status: 'superseded', superseded_by: own });
    expect(await event(own)).toMatchObject({ status: 'recorded', supersedes: original });
    await undo(2);
    expect(await event(original)).toMatchObject({ status: 'recorded', superseded_by: null });
  });
});
