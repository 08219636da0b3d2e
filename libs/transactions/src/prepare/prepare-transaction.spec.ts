import { describe, expect, it } from '@jest/globals';
import { type PreparedCall, methodsOf } from '#chain';
import { addressOf } from '#content-storage';
import { type Actor, type DomainError, type Role, ZERO_BYTES32, keccakOf } from '#kernel';
import { testActor } from '#kernel/testing';
import type { EventReference } from '#prepare';
import { EncodingChain, preparing, workWithoutDatabase } from '#prepare/testing';
import type { EventPreparation, EventSubmission, Lots, Processes } from '#traceability';
import type { GenericInput } from './call-arguments.rules.js';
import { rolesFor } from './contract-method.js';
import { PrepareTransaction } from './prepare-transaction.js';

const admin = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const mill = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const noted = `0x${'7'.repeat(64)}` as const;
const bytes32 = `0x${'1'.repeat(64)}` as const;

const actor = (...roles: Role[]): Actor => testActor(roles, { roleScopes: { OPERATOR: ['RICE_*'] }, wallet: admin, wallets: [admin] });
const attached: EventReference = { eventId: bytes32, processId: keccakOf('RICE_SHIPPING'), dataHash: noted };

function prepareTransaction() {
  const encoder = new EncodingChain();
  const { prepareCall, stored } = preparing(encoder);
  const submissions: EventSubmission[] = [];
  const known = new Map(
    ['RICE_MILLING', 'RICE_SHIPPING', 'WOOL_SHEARING'].map((processType) => [
      keccakOf(processType),
      { processType, kind: 'any', containmentMode: 0, outputAssetType: null },
    ]),
  );
  const processes = { byProcessId: async (_tx: unknown, id: string) => known.get(id as typeof noted) ?? null } as unknown as Processes;
  // Lot 16 is on hold, and inside of lot 17.
  const held = new Map([16n, 17n].map((tokenId) => [tokenId, 16n]));
  const lots = {
    heldWithin: async (_tx: unknown, ids: readonly bigint[]) => new Map([...held].filter(([tokenId]) => ids.includes(tokenId))),
  } as unknown as Lots;
  const asEvent = async (call: PreparedCall, submission: EventSubmission) => {
    submissions.push(submission);
    return { ...call, eventId: 'event', ipfsCid: 'cid', dataHash: noted, outputTlc: null };
  };
  const events = {
    prepare: async (_actor: Actor, submission: EventSubmission) =>
      asEvent(
        await encoder.prepare({
          contract: mill,
          from: null,
          method: 'recordEvent',
          args: [bytes32, bytes32, submission.inputTokenIds, submission.inputTokenIds.map(() => 0n), [], 0, noted],
        }),
        submission,
      ),
    prepareAttached: async (_actor: Actor, submission: EventSubmission, call: (event: EventReference) => Promise<PreparedCall>) =>
      asEvent(await call(attached), submission),
  } as unknown as EventPreparation;
  return { useCase: new PrepareTransaction(prepareCall, workWithoutDatabase(), processes, lots, events), encoder, stored, submissions };
}

const input = (method: string, args: object = {}, more: Partial<GenericInput> = {}): GenericInput => ({
  method,
  processId: ZERO_BYTES32,
  metadata: { args },
  ...more,
});
const run = (given: GenericInput, ...roles: Role[]) =>
  prepareTransaction().useCase.prepare(actor(...(roles.length > 0 ? roles : (['TENANT_ADMIN'] as const))), given);
const refusal = async (given: GenericInput, ...roles: Role[]): Promise<object> => {
  const { status, code, details } = await run(given, ...roles).then(
    () => ({ status: 200, code: 'prepared', details: {} }),
    (error: unknown) => error as DomainError,
  );
  return { status, code, ...details };
};

/** Every state-changing method of the contract, with arguments that fit it. */
const CALLS: Record<string, [object, Partial<GenericInput>?]> = {
  'offerCustody(uint256[],address,(bytes32,bytes32,bytes32))': [{ to: mill }, { inputTokenIds: [1, 2] }],
  'acceptCustody(uint256,uint256[],(bytes32,bytes32,bytes32))': [{ no: 4 }, { inputTokenIds: [1] }],
  'offerParts(uint256[],uint256[],address,(bytes32,bytes32,bytes32))': [{ to: mill, quantities: ['40.5'] }, { inputTokenIds: [1] }],
  'acceptParts(uint256,uint256[],uint256[],uint8,(bytes32,bytes32,bytes32))': [
    { no: 4, quantities: ['all'], reason: 0 },
    { inputTokenIds: [1] },
  ],
  'rejectCustody(uint256,uint256[],bytes32)': [{ no: 4 }, { inputTokenIds: [1] }],
  'cancelCustody(uint256,uint256[],bytes32)': [{ no: 4, tokenIds: [1] }],
  'acceptWallet(address)': [{ from: mill }],
  'proposeWallet(address,address)': [{ from: admin, to: mill }],
  'vetoWallet()': [{}],
  'amendEvent(bytes32,(bytes32,bytes32,bytes32))': [{ eventId: bytes32 }],
  'approve(address,uint256)': [{ to: mill }, { inputTokenIds: ['9'] }],
  'setApprovalForAll(address,bool)': [{ operator: mill, ok: true }],
  'transferFrom(address,address,uint256)': [{ from: admin, to: mill, tokenId: 9 }],
  'safeTransferFrom(address,address,uint256)': [{ from: admin, to: mill }, { inputTokenIds: [9] }],
  'safeTransferFrom(address,address,uint256,bytes)': [{ from: admin, to: mill, tokenId: 9, data: '0x01' }],
  'initialize(bytes32,string,address,uint48)': [{ tenantId: bytes32, name: 'Rice', admin, firstTokenId: 1 }],
  'liftRecall(uint256[],bytes32)': [{}, { inputTokenIds: [1] }],
  'recall(uint256,bytes32)': [{}, { inputTokenIds: [1] }],
  'recallMany(uint256[],bytes32)': [{}, { inputTokenIds: [1, 2] }],
  'pause(uint256)': [{ until: '2026-12-01T00:00:00Z' }],
  'recordEvent(bytes32,bytes32,uint256[],uint256[],(bytes32,bytes32,address,uint80,uint40)[],uint8,bytes32)': [
    {},
    { processId: keccakOf('RICE_MILLING'), inputTokenIds: [1] },
  ],
  'retire(uint256[],uint256[],uint8,(bytes32,bytes32,bytes32))': [{ quantities: ['all'], reason: 2 }, { inputTokenIds: [1] }],
  'setDirectReceipt(bool)': [{ allowed: true }],
  'setProcessScope(address,bytes32[],bool)': [{ account: mill, processIds: [bytes32], allowed: true }],
  'setRoles(address,uint256)': [{ account: mill, roles: 5 }],
  'settle(uint256[])': [{}, { inputTokenIds: [1] }],
  'voidEvent((bytes32,bytes32,address,uint8,uint256,bytes32),uint256[],uint256[],(bytes32,bytes32,address,uint80,uint40)[],bytes32)': [
    {
      r: { eventId: bytes32, processId: keccakOf('RICE_MILLING'), actor: admin, mode: 0, firstOutputId: 4, dataHash: bytes32 },
      consumed: ['1.5'],
    },
    {
      processId: keccakOf('RICE_MILLING'),
      inputTokenIds: [1],
      outputs: [{ tlc: 'RM-1', assetType: 'RICE', custodian: mill, quantity: 3 }],
    },
  ],
};

describe('tx/prepare', () => {
  it('knows what to do with every state-changing method of the contract', () => {
    expect(Object.keys(CALLS).toSorted()).toEqual(
      methodsOf()
        .map(({ signature }) => signature)
        .toSorted(),
    );
  });

  it.each(Object.entries(CALLS))('prepares %s', async (signature, [args, more]) => {
    const prepared = await run(input(signature.slice(0, signature.indexOf('(')), args, more));
    expect(prepared.method).toBe(signature.slice(0, signature.indexOf('(')));
    expect(prepared.preparedTx.data.slice(0, 10)).toBe(keccakOf(signature).slice(0, 10));
  });

  it.each(methodsOf().map(({ name }) => name))('asks the roles of the table for %s', async (name) => {
    const [args, more] = Object.entries(CALLS).find(([signature]) => signature.startsWith(`${name}(`))![1];
    for (const role of ['OPERATOR', 'ADMIN', 'AUDITOR', 'COMPLIANCE', 'TENANT_ADMIN'] as const)
      expect([role, await refusal(input(name, args, more), role)]).toMatchObject([
        role,
        rolesFor(name).includes(role) ? { status: 200 } : { status: 403, code: 'role_required' },
      ]);
  });

  it.each(['recall', 'recallMany', 'liftRecall', 'setRoles', 'setProcessScope', 'pause', 'initialize'])(
    'keeps %s for the tenant administrator',
    (name) => {
      expect(rolesFor(name)).toEqual(['TENANT_ADMIN']);
    },
  );

  it('answers an unknown method with what there is', async () => {
    expect(await refusal(input('mint'))).toMatchObject({
      status: 422,
      code: 'unknown_method',
      methods: expect.arrayContaining([
        {
          name: 'recall',
          signature: 'recall(uint256,bytes32)',
          args: [
            { name: 'tokenId', type: 'uint256' },
            { name: 'dataHash', type: 'bytes32' },
          ],
        },
      ]),
    });
  });

  it('says which argument does not fit and what it takes', async () => {
    expect(await refusal(input('setDirectReceipt', { allowed: 'yes' }))).toMatchObject({
      status: 422,
      errors: [{ pointer: '/metadata/args/allowed', code: 'invalid_argument' }],
    });
    expect(await refusal(input('retire', { quantities: [1], reason: 900 }, { inputTokenIds: [1] }))).toMatchObject({
      errors: [{ pointer: '/metadata/args/reason' }],
    });
  });

  it('checks the process scope before everything else', async () => {
    const processId = keccakOf('WOOL_SHEARING');
    expect(await refusal(input('nonsense', {}, { processId }), 'OPERATOR')).toMatchObject({ status: 403, code: 'process_out_of_scope' });
    expect(await refusal(input('recordEvent', {}, { processId: bytes32 }), 'OPERATOR')).toMatchObject({
      status: 422,
      code: 'unknown_process',
    });
  });

  it('lets no call name another process than the one whose scope was checked', async () => {
    const e = { eventId: bytes32, processId: keccakOf('WOOL_SHEARING'), dataHash: bytes32 };
    expect(await refusal(input('acceptCustody', { no: 1, e }, { inputTokenIds: [1] }), 'OPERATOR')).toMatchObject({
      errors: [{ code: 'process_mismatch' }],
    });
  });

  it('records an event through the preparation of events', async () => {
    const { useCase, submissions } = prepareTransaction();
    const prepared = await useCase.prepare(
      actor('OPERATOR'),
      input('recordEvent', {}, { processId: keccakOf('RICE_MILLING').toUpperCase().replace('0X', '0x'), inputTokenIds: [3] }),
    );
    expect(submissions).toMatchObject([{ processType: 'RICE_MILLING', inputTokenIds: [3n], from: admin }]);
    expect(prepared).toMatchObject({
      method: 'recordEvent',
      eventId: 'event',
      content: { ipfsCid: 'cid', dataHash: noted },
      processType: 'RICE_MILLING',
      args: { inputTokenIds: [3n] },
    });
  });

  it('attaches an event to an offer', async () => {
    const { useCase, encoder, submissions } = prepareTransaction();
    const given = input('offerCustody', { to: mill }, { processId: keccakOf('RICE_SHIPPING'), inputTokenIds: [3, 4] });
    const prepared = await useCase.prepare(actor('OPERATOR'), { ...given, metadata: { ...given.metadata, carrier: 'Mekong' } });
    expect(submissions).toMatchObject([{ processType: 'RICE_SHIPPING', inputTokenIds: [3n, 4n], metadata: { carrier: 'Mekong' } }]);
    expect(encoder.requests[0]!.args).toEqual([[3, 4], mill, attached]);
    expect(prepared).toMatchObject({ eventId: 'event', processType: 'RICE_SHIPPING' });
  });

  it.each<[string, object, Partial<GenericInput>, string]>([
    ['offerCustody', { to: mill }, { inputTokenIds: [3, 16] }, '/inputTokenIds/1'],
    ['offerCustody', { to: mill, tokenIds: [17] }, {}, '/metadata/args/tokenIds/0'],
    ['offerCustody', { to: mill, tokenIds: ['0x10'] }, {}, '/metadata/args/tokenIds/0'],
    ['offerCustody', { to: mill }, { processId: keccakOf('RICE_SHIPPING'), inputTokenIds: [17] }, '/inputTokenIds/0'],
    ['acceptCustody', { no: 4 }, { inputTokenIds: [16] }, '/inputTokenIds/0'],
    ['acceptCustody', { no: 4 }, { processId: keccakOf('RICE_SHIPPING'), inputTokenIds: [16] }, '/inputTokenIds/0'],
    ['transferFrom', { from: admin, to: mill, tokenId: 16 }, {}, '/metadata/args/tokenId'],
    ['safeTransferFrom', { from: admin, to: mill }, { inputTokenIds: [16] }, '/inputTokenIds/0'],
    ['safeTransferFrom', { from: admin, to: mill, tokenId: 17, data: '0x01' }, {}, '/metadata/args/tokenId'],
  ])('moves no lot on hold: %s %j %j', async (method, args, more, pointer) => {
    expect(await refusal(input(method, args, more))).toMatchObject({
      status: 422,
      code: 'invalid_content',
      errors: [{ pointer, code: 'lot_on_hold' }],
    });
  });

  it.each<[string, object]>([
    ['rejectCustody', { no: 4 }],
    ['cancelCustody', { no: 4 }],
    ['retire', { quantities: ['all'], reason: 2 }],
    ['recallMany', {}],
  ])('lets %s have a lot on hold', async (method, args) => {
    expect(await refusal(input(method, args, { inputTokenIds: [16] }))).toEqual({ status: 200, code: 'prepared' });
  });

  it('stores metadata where the call has a place for its hash, and says so where it has none', async () => {
    const { useCase, stored } = prepareTransaction();
    const recall = { ...input('recall', {}, { inputTokenIds: [3] }), metadata: { reason: 'Salmonella' } };
    const recalled = await useCase.prepare(actor('TENANT_ADMIN'), recall);
    const { cid, dataHash } = addressOf(stored[0]!);
    expect(recalled).toMatchObject({ args: { tokenId: 3, dataHash }, content: { ipfsCid: cid, dataHash } });
    const paused = await run({ ...input('pause'), metadata: { args: { until: 1 }, why: 'audit' } });
    expect(paused).toMatchObject({
      content: null,
      warnings: ['the chain says', '/metadata: pause has no argument for the hash of content; the metadata is not stored.'],
    });
  });
});
