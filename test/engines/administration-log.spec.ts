import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ContractLog } from '#chain';
import { WalletsProjector, identityPersistence } from '#identity';
import { ChainGrantsQueries, WalletsQueries } from '#identity/testing';
import { keccakOf, newId } from '#kernel';
import { type TestDatabase, cloneTestDatabase } from '#persistence/testing';

const [contract, old, fresh] = ['0xC0', '0x01', '0x02'];
const [tenantId, userId, orgId] = [newId(), newId(), newId()];
const CHAIN = 31337;

describe('what the chain said of accounts and wallets', () => {
  let database: TestDatabase;
  const recorded: string[] = [];
  const handler = new WalletsProjector(new ChainGrantsQueries(), new WalletsQueries(), {
    record: (_tx: unknown, subjects: readonly string[]) => Promise.resolve(void recorded.push(...subjects)),
  });

  beforeAll(async () => {
    database = await cloneTestDatabase([identityPersistence]);
    await database.unitOfWork.asSystem(async (tx) => {
      await tx.sql(`insert into identity.tenant values ($1, 't', 'T', '0x1', 'sandbox', 'sandbox', 'active', now())`, [tenantId]);
      await tx.sql(`insert into identity.app_user values ($1, 'a@b', 'A', null, false, null, now(), null)`, [userId]);
      await tx.sql(`insert into identity.organisation values ($1, $2, 'Org', null, null, null, '{}', now())`, [tenantId, orgId]);
      await tx.sql(`insert into identity.member values ($1, $2, '{OPERATOR}', '{}', $3, $4, now(), null)`, [tenantId, userId, orgId, old]);
      await tx.sql(`insert into identity.wallet values ($1, $2, $3, null, $4, 'A', now())`, [tenantId, old, orgId, userId]);
    });
  });
  afterAll(() => database.drop());

  const log = (name: ContractLog['name'], block: number, args: object, logIndex = 0): ContractLog =>
    ({
      name,
      args,
      contract,
      block: { number: block, hash: '0x', timestamp: new Date(0) },
      txHash: '0x',
      logIndex,
      txLogIndex: 0,
    }) as never;
  const land = (...logs: ContractLog[]): Promise<void> =>
    database.unitOfWork.inTransaction({ tenantId }, (tx) => handler.apply(tx, { chainId: CHAIN, contract, logs }));
  const undo = (lastGoodBlock: number): Promise<void> => database.unitOfWork.asSystem((tx) => handler.undo(tx, CHAIN, lastGoodBlock));
  const state = (): Promise<unknown> =>
    database.unitOfWork.asSystem(async (tx) => ({
      roles: await tx.sql('select account, roles, block_number from identity.chain_role order by block_number, log_index'),
      scopes: await tx.sql('select account, process_id, allowed from identity.chain_process_scope order by block_number, log_index'),
      member: await tx.sql('select wallet, proposed_wallet as proposed from identity.member'),
      wallets: await tx.sql('select address, org_id, user_id, label from identity.wallet order by address'),
      moves: await tx.sql('select from_address, to_address from identity.wallet_move'),
    }));

  const process = keccakOf('wool_shearing');
  const batch = [
    log('RolesChanged', 2, { account: old, roles: 0n }),
    log('ProcessScopeChanged', 2, { account: old, processId: process, allowed: false }, 1),
    log('WalletMoved', 3, { from: old, to: fresh, party: 1n }),
  ];

  it('gives the same rows again after a reorg; a wallet move proposes the new address, and binds it to nobody', async () => {
    await land(
      log('RolesChanged', 1, { account: old, roles: 4n }),
      log('ProcessScopeChanged', 1, { account: old, processId: process, allowed: true }, 1),
    );
    const before = await state();
    await land(...batch);
    const after = await state();
    expect(after).toMatchObject({ member: [{ wallet: old, proposed: fresh }], moves: [{ from_address: old, to_address: fresh }] });
    expect(after).toMatchObject({ wallets: [{ address: old }, { address: fresh, org_id: orgId, user_id: null, label: 'A' }] });
    expect(recorded).toEqual([`tenant:${tenantId}`]);
    await undo(1);
    expect(await state()).toEqual(before);
    await land(...batch);
    expect(await state()).toEqual(after);
  });

  it('goes back along two moves of one wallet', async () => {
    await undo(1);
    const before = await state();
    await land(
      log('WalletMoved', 3, { from: old, to: fresh, party: 1n }),
      log('WalletMoved', 3, { from: fresh, to: '0x03', party: 1n }, 1),
    );
    expect(await state()).toMatchObject({ member: [{ wallet: old, proposed: '0x03' }] });
    await undo(2);
    expect(await state()).toEqual(before);
  });

  it('leaves what the member confirmed meanwhile', async () => {
    await land(log('WalletMoved', 3, { from: old, to: fresh, party: 1n }));
    await database.unitOfWork.asSystem(async (tx) => {
      await tx.sql('update identity.member set wallet = $1, proposed_wallet = null', [fresh]);
      await tx.sql('update identity.wallet set user_id = $2, proven_at = now() where address = $1', [fresh, userId]);
    });
    await undo(2);
    await land(log('WalletMoved', 3, { from: old, to: fresh, party: 1n }));
    expect(await state()).toMatchObject({
      member: [{ wallet: fresh, proposed: null }],
      wallets: [{ address: old }, { address: fresh, user_id: userId }],
    });
  });
});
