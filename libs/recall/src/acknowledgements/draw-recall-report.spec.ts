import { describe, expect, it } from '@jest/globals';
import type { RecallReport } from './recall-report.page.js';
import { drawRecallReport } from './draw-recall-report.page.js';

const ADDRESS = `0x${'ab'.repeat(20)}`;
const AT = '2026-12-01T09:00:00.000Z';

/** @param instructions one word of so many letters takes the square of its length to lay out */
const report = (instructions: string, lots = 1): RecallReport => ({
  recall: {
    ...{
      id: '7b1c2d3e-0000-4000-8000-000000000000',
      reason: 'Glass',
      recallClass: 'class_1',
      depth: 'consumer',
      propagation: 'descendants',
    },
    ...{
      reference: 'R\nSigned by: nobody',
      instructions,
      resolved: true,
      recalledBy: ADDRESS,
      senderMismatch: false,
      preparedSender: null,
    },
    ...{ recalledAt: AT, blockNumber: 7, txHash: `0x${'12'.repeat(32)}`, open: true, affectedCount: lots, affectedWhenPrepared: lots },
    ...{ preparedAtBlock: 6, acknowledgedCount: 0, holdsReleasedAt: null },
    lots: Array.from({ length: lots }, (_, i) => ({ tokenId: i + 1, tlc: `L-${i}`, liftedAt: AT, liftedBy: ADDRESS })),
  } as unknown as RecallReport['recall'],
  answers: {
    ...{ recallId: '7b1c2d3e-0000-4000-8000-000000000000', lots: 0, truncated: false, states: {}, holders: [], data: [] },
  } as unknown as RecallReport['answers'],
  tenant: 'Rice',
  recalledByLabel: 'Mill',
  madeAt: new Date(AT),
});

describe('the report of a recall', () => {
  it('is drawn while others are answered', async () => {
    let others = 0;
    let drawn = false;
    const drawing = drawRecallReport(report('W'.repeat(10_000), 200)).finally(() => (drawn = true));
    const answer = (): void => {
      others++;
      if (!drawn) setImmediate(answer);
    };
    setImmediate(answer);
    expect(Buffer.from((await drawing).subarray(0, 5)).toString()).toBe('%PDF-');
    // Where it is drawn in this thread, nothing else runs until it is there.
    expect(others).toBeGreaterThan(100);
  });

  it('is refused when it takes too long', async () => {
    await expect(drawRecallReport(report('W'.repeat(10_000)), 1)).rejects.toMatchObject({ code: 'report_too_large', status: 422 });
  });
});
