import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { LogBatch } from '#chain';
import { ZERO_BYTES32, eventIdBytes, keccakOf, newId } from '#kernel';
import type { TenantTx } from '#persistence';
import { cloneTestDatabase, type TestDatabase } from '#persistence/testing';
import { keysPersistence } from '#sealed-contents';
import { traceabilityPersistence } from '#traceability';
import { LogWriter, landingParts } from '#traceability/testing';

const CONTRACT = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const FARM = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const COLLEAGUE = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65';
const MILL = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const STRANGER = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const KG = 1_000_000n;

const FARM_ID = newId();

/** Who signed is the actor of a record, not who prepared it. */
describe('the actor of a landed record', () => {
  let db: TestDatabase;
  let tenant: { readonly tenantId: string };
  let id: string;
  const { handler } = landingParts('demo', { [FARM]: FARM_ID, [COLLEAGUE]: FARM_ID, [MILL]: 'org-mill' });

  beforeAll(async () => {
    db = await cloneTestDatabase([traceabilityPersistence, keysPersistence]);
  });
  afterAll(() => db.drop());
  beforeEach(async () => {
    tenant = { tenantId: newId() };
    id = newId();
    await db.unitOfWork.asSystem((tx) => handler.undo(tx, 31_337, 0));
  });

  const asTenant = <T>(work: (tx: TenantTx) => Promise<T>): Promise<T> => db.unitOfWork.inTransaction(tenant, work);
  const land = (batch: LogBatch): Promise<void> => asTenant((tx) => handler.apply(tx, batch));
  const event = async () => (await asTenant((tx) => tx.sql('select * from traceability.event where id = $1', [id])))[0]!;
  const shown = async () =>
    (await asTenant((tx) => tx.sql('select org_id, sender_mismatch, prepared_sender from traceability.event_v1 where id = $1', [id])))[0]!;
  const dataHash = keccakOf('prepared content');
  const output = { tlc: 'X-1', custodian: FARM, quantity: 2n * KG };

  /** What the organisation `org` prepared for the wallet `from`, by calls of each method that records an event. */
  const CALLS: Readonly<Record<string, { readonly args: object; readonly land: (book: LogWriter, actor: string) => LogWriter }>> = {
    recordEvent: {
      args: {
        processId: keccakOf('HARVEST'),
        inputTokenIds: [],
        inputQuantities: [],
        outputs: [{ tlcHash: keccakOf('X-1'), assetType: keccakOf('GOODS'), custodian: FARM, quantity: '2000000', expiresAt: '0' }],
        containmentMode: 0,
        dataHash,
      },
      land: (book, actor) => book.record({ id, processType: 'HARVEST', actor, dataHash, outputs: [output] }),
    },
    custody: {
      args: { tokenIds: ['1'], e: { processId: keccakOf('HARVEST'), dataHash } },
      land: (book, actor) => withLot(book).record({ id, processType: 'HARVEST', actor, dataHash, inputs: [1n] }),
    },
    retire: {
      args: { tokenIds: ['1'], quantities: ['2000000'], reason_: '2', e: { processId: keccakOf('HARVEST'), dataHash } },
      land: (book, actor) =>
        withLot(book)
          .record({ id, processType: 'HARVEST', actor, dataHash, inputs: [1n] })
          .send('LotsRetired', { actor, reason: 2, eventId: eventIdBytes(id), tokenIds: [1n], quantities: [2n * KG], dataHash }),
    },
    amendEvent: {
      args: { e: { processId: keccakOf('HARVEST'), dataHash } },
      land: (book, actor) =>
        withLot(book)
          .record({ id, processType: 'HARVEST', actor, dataHash })
          .send('EventAmended', { eventId: eventIdBytes(other), amendmentId: eventIdBytes(id), actor }),
    },
  };
  const other = newId();
  /** A lot that another event made. */
  const withLot = (book: LogWriter): LogWriter => book.record({ id: other, processType: 'OTHER', actor: FARM, outputs: [output] }).mine();

  const prepare = (method: string, from: string | null, org: string | null) =>
    asTenant((tx) =>
      tx.sql(
        `insert into traceability.event (tenant_id, id, chain_event_id, status, process_type, process_id, kind, containment_mode, record_time,
           actor_address, org_id, data_hash, ipfs_cid, expected, created_at, updated_at)
         values ($1, $2, $3, 'submitted', 'HARVEST', $4, 'creation', 0, now(), $5, $6, $7, 'cid', $8, now(), now())`,
        [
          ...[tenant.tenantId, id, eventIdBytes(id), keccakOf('HARVEST'), from, org, dataHash],
          JSON.stringify({ method, from, args: CALLS[method]!.args }),
        ],
      ),
    );

  describe.each(Object.keys(CALLS))('of %s', (method) => {
    it.each<[string, string | null, string | null, string, string | null, boolean]>([
      ['the prepared sender', FARM, FARM_ID, FARM, FARM_ID, false],
      ['a colleague', FARM, FARM_ID, COLLEAGUE, FARM_ID, true],
      ['another company', FARM, FARM_ID, MILL, 'org-mill', true],
      ['an unknown wallet', FARM, FARM_ID, STRANGER, null, true],
      ['its own company, where no sender was named', null, FARM_ID, COLLEAGUE, FARM_ID, false],
      ['another company, where no sender was named', null, FARM_ID, MILL, 'org-mill', true],
      ['an unknown wallet, where no sender was named', null, FARM_ID, STRANGER, null, true],
      ['anybody, where neither sender nor company was named', null, null, STRANGER, null, false],
    ])('is %s', async (_, from, org, signer, actorOrg, mismatch) => {
      await prepare(method, from, org);
      const before = await event();
      await land(CALLS[method]!.land(new LogWriter(CONTRACT), signer).batch());
      expect(await event()).toMatchObject({ status: 'recorded', calldata_mismatch: false, actor_address: signer });
      expect(await shown()).toEqual({ org_id: actorOrg, sender_mismatch: mismatch, prepared_sender: mismatch ? from : null });
      await db.unitOfWork.asSystem((tx) => handler.undo(tx, 31_337, 0));
      expect(await event()).toEqual(before);
    });
  });

  it.each([
    ['the prepared sender', FARM, FARM_ID, FARM, false],
    ['another wallet', FARM, FARM_ID, MILL, true],
    ['its own company, where no sender was named', null, FARM_ID, COLLEAGUE, false],
    ['another company, where no sender was named', null, FARM_ID, MILL, true],
    ['an unknown wallet, where no sender was named', null, FARM_ID, STRANGER, true],
    ['anybody, where neither sender nor company was named', null, null, MILL, false],
  ])('of a void is %s', async (_, from, org, signer, senderMismatch) => {
    const book = new LogWriter(CONTRACT).record({ id, processType: 'HARVEST', actor: FARM, dataHash, outputs: [output] }).mine();
    const said = keccakOf('it did not happen');
    await asTenant((tx) =>
      tx.sql(
        `insert into traceability.error_declaration (tenant_id, event_id, data_hash, reason, corrective_event_ids, prepared_at, prepared_by,
           prepared_sender, prepared_org) values ($1, $2, $3, 'did_not_occur', '{}', now(), 'farmer', $4, $5)`,
        [tenant.tenantId, id, said, from, org],
      ),
    );
    await land(book.send('EventVoided', { eventId: eventIdBytes(id), actor: signer, dataHash: said }).batch());
    const preparedSender = senderMismatch ? from : null;
    expect((await event())['error_declaration']).toMatchObject({ actor: signer, reason: 'did_not_occur', senderMismatch, preparedSender });
  });

  it('of a void without a declaration is who signed', async () => {
    const book = new LogWriter(CONTRACT).record({ id, processType: 'HARVEST', actor: FARM, dataHash, outputs: [output] }).mine();
    await land(book.send('EventVoided', { eventId: eventIdBytes(id), actor: STRANGER, dataHash: ZERO_BYTES32 }).batch());
    expect((await event())['error_declaration']).toMatchObject({ actor: STRANGER, reason: null, senderMismatch: false });
  });
});
