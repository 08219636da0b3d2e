import { describe, expect, it } from '@jest/globals';
import type { ChainHead, PrepareRequest, PreparedCall } from '#chain';
import { addressOf } from '#content-storage';
import { type Actor, Clock, DomainError, ZERO_BYTES32, invalidContent } from '#kernel';
import { testActor } from '#kernel/testing';
import type { EventReference } from '#prepare';
import { EncodingChain, TEST_CONTRACT as contract, TEST_EVENT, preparing } from '#prepare/testing';
import type { EventPreparation, EventSubmission, Lot, Lots } from '#traceability';
import type { CustodyInput } from './custody-request.rules.js';
import { PrepareCustody } from './prepare-custody.js';

const farmer = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const mill = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const actor = testActor(['OPERATOR'], { roleScopes: { OPERATOR: ['RICE_*'] }, wallet: farmer, wallets: [farmer] });

/** Lots 1 and 2 are the farmer's; 3 was offered to the farmer by the mill, as offer 7; 4 is recalled. */
const LOTS = new Map<bigint, Partial<Lot>>([
  [1n, {}],
  [2n, {}],
  [3n, { status: 'in_transit', custodian: mill, pendingCustodian: farmer, offerNo: 7n }],
  [4n, { status: 'recalled', recalled: true }],
]);
const facts = (tokenId: bigint): Lot =>
  ({
    tokenId,
    status: 'active',
    custodian: farmer,
    pendingCustodian: null,
    offerNo: null,
    containerTokenId: null,
    recalled: false,
    holdsRecalled: false,
    onHold: false,
    isContainer: false,
    remaining: 100_000_000n,
    uom: 'KGM',
    mintBlock: 1,
    ...LOTS.get(tokenId),
  }) as Lot;

/** Refuses recalled lots as the contract does. */
function refuseRecalled({ args }: PrepareRequest): void {
  if ((args[0] as readonly bigint[]).includes?.(4n))
    throw new DomainError('tx_would_revert', 422, 'Lot 4 is recalled.', { revert: { name: 'LotIsRecalled', args: { tokenId: 4 } } });
}

function custody(refuse: (request: PrepareRequest) => void = refuseRecalled) {
  const chain = new EncodingChain(refuse);
  const { prepareCall, stored, notes } = preparing(chain);
  const submissions: EventSubmission[] = [];
  const lots = {
    heldWithin: async () => new Map(),
    byTokenIds: async (_tx: unknown, ids: readonly bigint[]) => ids.filter((id) => LOTS.has(id)).map(facts),
  } as unknown as Lots;
  const head = { position: async () => ({ head: 9, final: 9 }) } as unknown as ChainHead;
  const events = {
    prepareAttached: async (_actor: Actor, submission: EventSubmission, call: (event: EventReference) => Promise<PreparedCall>) => {
      if (submission.processType === 'RICE_MILLING')
        throw invalidContent([{ pointer: '/inputTokenIds/0', code: 'wrong_asset_type', message: 'not this' }]);
      submissions.push(submission);
      return { ...(await call(TEST_EVENT)), eventId: 'event', ipfsCid: 'cid', dataHash: TEST_EVENT.dataHash, outputTlc: null };
    },
  } as unknown as EventPreparation;
  return { useCase: new PrepareCustody(prepareCall, lots, head, events, new Clock()), chain, stored, notes, submissions };
}

const refusal = (input: CustodyInput): Promise<object> =>
  custody()
    .useCase.prepare(actor, input)
    .then(
      () => ({ status: 200 }),
      ({ status, code, details }: DomainError) => ({
        status,
        code,
        errors: details.errors?.map((problem) => [problem.pointer, problem.code]),
      }),
    );

describe('custody/prepare', () => {
  it('prepares a plain offer for the wallet of the caller', async () => {
    const { useCase, chain, stored } = custody();
    const prepared = await useCase.prepare(actor, { tokenIds: [1, 2], to: mill });
    expect(chain.requests).toEqual([
      {
        contract,
        from: farmer,
        method: 'offerCustody',
        args: [[1n, 2n], mill, { eventId: ZERO_BYTES32, processId: ZERO_BYTES32, dataHash: ZERO_BYTES32 }],
      },
    ]);
    expect(prepared).toMatchObject({ found: { offerNo: null }, event: null, content: null, calls: [{ warnings: ['the chain says'] }] });
    expect(stored).toEqual([]);
  });

  it('splits in the call, with the quantities in millionths and the reason by its number', async () => {
    const { useCase, chain } = custody();
    await useCase.prepare(actor, { lots: [{ tokenId: 1, quantity: { value: 40, uom: 'KGM' } }, { tokenId: 2 }], to: mill });
    await useCase.prepare(actor, { action: 'accept', lots: [{ tokenId: 3, quantity: { value: 90, uom: 'KGM' } }], reason: 'damage' });
    expect(chain.requests.map(({ method, args }) => [method, ...args.slice(0, -1)])).toEqual([
      ['offerParts', [1n, 2n], [40_000_000n, (1n << 256n) - 1n], mill],
      ['acceptParts', 7n, [3n], [90_000_000n], 2],
    ]);
  });

  it('says that a contract is too old for parts', async () => {
    const old = () => {
      throw new DomainError('tx_would_revert', 422, 'The transaction would fail.', { revert: null });
    };
    const { useCase } = custody(old);
    const part = { lots: [{ tokenId: 1, quantity: { value: 40, uom: 'KGM' } }], to: mill };
    await expect(useCase.prepare(actor, part)).rejects.toMatchObject({ status: 422, code: 'no_parts_in_contract' });
    await expect(useCase.prepare(actor, { tokenId: 1, to: mill })).rejects.toMatchObject({ code: 'tx_would_revert' });
  });

  it('finds the offer that an answer is about', async () => {
    const { useCase, chain } = custody();
    for (const action of ['accept', 'reject'] as const) await useCase.prepare(actor, { action, tokenId: 3 });
    expect(chain.requests.map(({ method, args }) => [method, args[0], args[1]])).toEqual([
      ['acceptCustody', 7n, [3n]],
      ['rejectCustody', 7n, [3n]],
    ]);
  });

  it('stores a note by content and puts its hash on chain', async () => {
    const { useCase, chain, stored, notes } = custody();
    const prepared = await useCase.prepare(actor, { action: 'reject', tokenId: 3, metadata: { why: 'wet bags' } });
    const { cid, dataHash } = addressOf(stored[0]!);
    expect(chain.requests[0]!.args).toEqual([7n, [3n], dataHash]);
    expect(prepared.content).toEqual({ ipfsCid: cid, dataHash });
    expect(notes).toMatchObject([{ action: 'reject', tokenIds: [3], metadata: { why: 'wet bags' } }]);
    expect(Buffer.from(stored[0]!).toString()).not.toContain('wet bags');
  });

  it('attaches the shipping event to the offer', async () => {
    const { useCase, chain, stored, submissions } = custody();
    const prepared = await useCase.prepare(actor, {
      tokenIds: [2, 1],
      to: mill,
      processType: 'RICE_SHIPPING',
      metadata: { carrier: 'Mekong' },
    });
    expect(submissions).toEqual([
      {
        processType: 'RICE_SHIPPING',
        inputTokenIds: [2n, 1n],
        outputTlc: null,
        outputCustodian: null,
        metadata: { carrier: 'Mekong' },
        from: farmer,
      },
    ]);
    expect(chain.requests[0]!.args).toEqual([[2n, 1n], mill, TEST_EVENT]);
    expect(prepared).toMatchObject({ event: { eventId: 'event' }, content: { ipfsCid: 'cid' } });
    expect(stored).toEqual([]);
  });

  it.each<[string, CustodyInput, object]>([
    [
      'a process outside the scope, before anything else',
      { processType: 'WOOL_SHIPPING', tokenIds: [1, 1] },
      { status: 403, code: 'process_out_of_scope' },
    ],
    ["a sender that is not the caller's", { tokenId: 1, to: mill, from: mill }, { status: 403, code: 'foreign_sender' }],
    ['an unknown lot', { tokenIds: [1, 99], to: mill }, { status: 404, code: 'lot_not_found' }],
    ['an offer to oneself', { tokenId: 1, to: farmer }, { status: 422, errors: [['/to', 'own_wallet']] }],
    ['an answer without an open offer', { action: 'accept', tokenId: 1 }, { status: 409, code: 'no_open_offer' }],
    [
      'a recalled lot, as the contract says, at its place',
      { tokenIds: [1, 4], to: mill },
      { status: 422, code: 'invalid_content', errors: [['/tokenIds/1', 'lot_recalled']] },
    ],
    [
      'half a surrogate pair in the note',
      { tokenId: 1, to: mill, metadata: { why: '\ud800' } },
      { status: 422, errors: [['/metadata/why', 'lone_surrogate']] },
    ],
  ])('refuses %s', async (_, input, expected) => {
    expect(await refusal(input)).toMatchObject(expected);
  });
});
