import { describe, expect, it } from '@jest/globals';
import { custodyTransferredPayload, transferredKey } from '../landing/publish-transfers.js';
import type { HandOver } from './hand-over.js';
import { IllegalTransfer, type Transition, TRANSFER_STATUSES, TRANSFER_TRANSITIONS, Transfer, type TransferStatus } from './transfer.js';

const farmer = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const mill = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
const moving = { chainId: 31337, contract: '0xC0', tokenId: 8n, namedTokenId: 8n, viaContainerTokenId: null };

const transition = (block: number, at: string, eventId: string | null = null): Transition => ({
  from: farmer,
  to: mill,
  at: new Date(at),
  block,
  txHash: `0x${block}`,
  logIndex: 3,
  txLogIndex: 1,
  eventId,
  note: null,
  handOver: null,
});

const offer = transition(10, '2026-09-20T15:00:00Z', 'shipping');
const end = transition(12, '2026-09-20T16:00:00Z');
const inState = (status: TransferStatus): Transfer => Object.assign(Transfer.offered('t', moving, 5n, offer), { status });

describe('a custody transfer', () => {
  const moves = TRANSFER_STATUSES.flatMap((from) => (['accepted', 'rejected', 'cancelled'] as const).map((to) => ({ from, to })));

  it.each(moves.filter(({ from, to }) => TRANSFER_TRANSITIONS[from].includes(to)))('goes from $from to $to', ({ from, to }) => {
    const transfer = inState(from);
    transfer.close(to, end);
    expect(transfer).toMatchObject({ status: to, closed: end });
  });

  it.each(moves.filter(({ from, to }) => !TRANSFER_TRANSITIONS[from].includes(to)))('never goes from $from to $to', ({ from, to }) => {
    expect(() => inState(from).close(to, end)).toThrow(IllegalTransfer);
  });

  it('ends with its first answer', () => {
    expect(Object.entries(TRANSFER_TRANSITIONS).filter(([, next]) => next.length > 0)).toEqual([
      ['pending', ['accepted', 'rejected', 'cancelled']],
    ]);
  });

  it('is named after its lot and offer, and is complete when accepted', () => {
    const transfer = Transfer.offered('t', moving, 5n, offer);
    expect(transfer).toMatchObject({ id: '8-5', status: 'pending', completed: false, pendingSeconds: null });
    transfer.close('accepted', end);
    expect(transfer).toMatchObject({ completed: true, pendingSeconds: 3600, eventId: 'shipping' });
  });

  it('prefers the receiving event over the shipping event', () => {
    const transfer = Transfer.offered('t', moving, 5n, offer);
    transfer.close('accepted', transition(12, '2026-09-20T16:00:00Z', 'receiving'));
    expect(transfer.eventId).toBe('receiving');
  });

  it('has the time and place of the note of its end, otherwise of its offer, unless an event says them', () => {
    const handOver = (at: string): HandOver => ({ at: new Date(at), timeZoneOffset: null, location: null });
    const [left, came] = ['2026-09-20T14:00:00Z', '2026-09-20T15:30:00Z'].map(handOver);
    const handOverAfter = (ending: object): HandOver | null => {
      const transfer = Transfer.offered('t', moving, 5n, { ...offer, handOver: left! });
      transfer.close('accepted', { ...end, ...ending });
      return transfer.handOver;
    };
    expect(Transfer.offered('t', moving, 5n, offer).handOver).toBeNull();
    expect([handOverAfter({}), handOverAfter({ handOver: came }), handOverAfter({ eventId: 'receiving' })]).toEqual([left, came, null]);
  });

  it('is complete at once when it is direct, under the same id wherever a reorg lands it', () => {
    const first = Transfer.direct('t', moving, end);
    const again = Transfer.direct('t', moving, { ...end, block: 99, logIndex: 40 });
    expect(first).toMatchObject({ status: 'direct', completed: true, pendingSeconds: 0, offered: null });
    expect(again.id).toBe(first.id);
    expect(Transfer.direct('t', { ...moving, tokenId: 9n }, end).id).not.toBe(first.id);
    expect(transferredKey(again)).toBe(transferredKey(first));
  });

  it('tells the topic exactly what the specification lists', () => {
    const transfer = Transfer.offered('t', moving, 5n, offer);
    transfer.close('accepted', end);
    expect(custodyTransferredPayload(transfer, 'rice', 'RM-1')).toEqual({
      tenantId: 'rice',
      chainId: 31337,
      contractAddress: '0xC0',
      txHash: '0x12',
      blockNumber: 12,
      occurredAt: '2026-09-20T16:00:00.000Z',
      transferId: '8-5',
      tokenId: 8,
      tlc: 'RM-1',
      from: farmer,
      to: mill,
      offeredAt: '2026-09-20T15:00:00.000Z',
      acceptedAt: '2026-09-20T16:00:00.000Z',
      viaContainerTokenId: null,
      eventId: 'shipping',
      pendingSeconds: 3600,
    });
  });
});
