import { describe, expect, it } from '@jest/globals';
import { addressOf } from '#content-storage';
import { type Actor, DomainError, type Role, ZERO_BYTES32 } from '#kernel';
import { testActor } from '#kernel/testing';
import { noEvent, noteWith } from './contract-call.js';
import type { CallPlan } from './prepare-call.js';
import { EncodingChain, TEST_CONTRACT, TEST_EVENT, preparing } from './testing/index.js';

const wallet = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const stranger = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const actor = (...roles: Role[]): Actor => testActor(roles, { roleScopes: { OPERATOR: ['RICE_*'] }, wallet, wallets: [wallet] });
const operator = actor('OPERATOR');

const revert = new DomainError('tx_would_revert', 422, 'no');
const retire: CallPlan<bigint> = {
  roles: ['OPERATOR'],
  examine: async () => 7n,
  note: () => ({ call: { retire: 7 }, metadata: { why: 'wet' } }),
  calls: (tokenId, e) => [{ method: 'retire', args: { tokenIds: [tokenId], quantities: [1n], reason: 2, e } }],
};
const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'prepared',
    (error: DomainError) => error.code,
  );

describe('preparing a call', () => {
  it('commits to the stored note', async () => {
    const chain = new EncodingChain();
    const { prepareCall, stored, notes } = preparing(chain);
    const prepared = await prepareCall.prepare(operator, retire);
    const { cid, dataHash } = addressOf(stored[0]!);
    expect(chain.requests).toEqual([{ contract: TEST_CONTRACT, from: wallet, method: 'retire', args: [[7n], [1n], 2, noEvent(dataHash)] }]);
    expect(prepared).toMatchObject({ found: 7n, content: { ipfsCid: cid, dataHash }, event: null, calls: [{ method: 'retire' }] });
    expect(notes).toMatchObject([{ retire: 7, preparedBy: wallet }]);
    expect(JSON.parse(Buffer.from(stored[0]!).toString())).toMatchObject({ v: 2, kind: 'note', public: {} });
  });

  it('stores and records nothing that the chain refuses', async () => {
    const recorded: unknown[] = [];
    const { prepareCall, stored } = preparing(
      new EncodingChain(() => {
        throw revert;
      }),
    );
    const plan = { ...retire, record: async () => void recorded.push(1) };
    expect(await codeOf(prepareCall.prepare(operator, plan))).toBe('tx_would_revert');
    expect([stored, recorded]).toEqual([[], []]);
  });

  it('stores no note without metadata', async () => {
    const { prepareCall, stored } = preparing(new EncodingChain());
    const plan = { ...retire, note: () => noteWith({}, {}) };
    expect(await prepareCall.prepare(operator, plan)).toMatchObject({ content: null });
    expect(stored).toEqual([]);
  });

  it('refuses a note with U+0000, at its place', async () => {
    const { prepareCall } = preparing(new EncodingChain());
    const plan = { ...retire, note: () => ({ call: {}, metadata: { a: [{ 'b/c': 'x\0' }] } }) };
    await expect(prepareCall.prepare(operator, plan)).rejects.toMatchObject({
      code: 'invalid_content',
      details: { errors: [{ pointer: '/metadata/a/0/b~1c', code: 'nul_character' }] },
    });
  });

  it('hands the event to the call in the place of a note', async () => {
    const chain = new EncodingChain();
    const { prepareCall, stored } = preparing(chain);
    const prepared = await prepareCall.prepare(operator, {
      ...retire,
      event: async (_found, _sender, call) => ({
        ...(await call(TEST_EVENT)),
        eventId: 'e',
        ipfsCid: 'c',
        dataHash: ZERO_BYTES32,
        outputTlc: null,
      }),
    });
    expect(chain.requests[0]!.args[3]).toEqual(TEST_EVENT);
    expect(prepared).toMatchObject({ event: { eventId: 'e' }, content: { ipfsCid: 'c' } });
    expect(stored).toEqual([]);
  });

  it.each<[string, Actor, Partial<CallPlan<bigint>>, string]>([
    ['a caller without the role', actor('AUDITOR'), { from: stranger }, 'role_required'],
    ["a sender that is not the caller's", operator, { from: stranger, processType: 'WOOL_SHEARING' }, 'foreign_sender'],
    ['a process outside the scope', operator, { processType: 'WOOL_SHEARING' }, 'process_out_of_scope'],
    ['any member where the call decides', actor(), { roles: 'member' }, 'prepared'],
  ])('asks before anything is read: %s', async (_, caller, given, code) => {
    const { prepareCall } = preparing(new EncodingChain());
    const read: unknown[] = [];
    const plan = { ...retire, examine: async () => (read.push(1), 7n), ...given };
    expect(await codeOf(prepareCall.prepare(caller, plan))).toBe(code);
    expect(read).toHaveLength(code === 'prepared' ? 1 : 0);
  });

  it('tells a refusal in the words of the request', async () => {
    const { prepareCall } = preparing(
      new EncodingChain(() => {
        throw revert;
      }),
    );
    const plan = { ...retire, explain: (error: DomainError) => new DomainError('lot_recalled', 422, error.message) };
    expect(await codeOf(prepareCall.prepare(operator, plan))).toBe('lot_recalled');
  });
});

describe('preparing many calls', () => {
  it('answers each in its place and stores those that the chain would take', async () => {
    const refused = new DomainError('refused', 422, 'before');
    const chain = new EncodingChain(({ args }) => {
      if (args[0] === stranger) throw revert;
    });
    const draft = (to: string) => ({
      contract: TEST_CONTRACT,
      sender: wallet,
      call: { method: 'setApprovalForAll', args: { operator: to, ok: true } },
    });
    const { prepareCall } = preparing(chain);
    const saved: number[] = [];
    const answers = await prepareCall.prepareAll([draft(wallet), refused, draft(stranger), draft(wallet)], async (estimated) => {
      saved.push(estimated.length);
      return estimated.map((_, i) => `stored ${i}`);
    });
    expect(answers).toEqual(['stored 0', refused, revert, 'stored 1']);
    expect(saved).toEqual([2]);
  });
});
