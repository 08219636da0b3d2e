import { describe, expect, it } from '@jest/globals';
import { defineTopic, FIELDS, topicField } from './topics.js';

const sold = defineTopic('lot.sold', {
  description: 'A lot is sold.',
  fields: { tokenId: FIELDS.integer, buyer: FIELDS.textOrNull, grade: topicField<'A' | 'B'>({ enum: ['A', 'B'] }) },
  example: { timestamp: '2026-11-28T08:00:00.000Z', data: { tokenId: 1, buyer: null, grade: 'A' } },
});
const facts = { key: 'lot.sold:1', occurredAt: new Date(0) };

describe('a topic', () => {
  it('makes the message of a payload, and describes it', () => {
    const data = { tokenId: 7, buyer: 'mill', grade: 'B' } as const;
    expect(sold(data, facts)).toEqual({ topic: 'lot.sold', key: 'lot.sold:1', occurredAt: new Date(0), data });
    expect(sold.fields).toEqual({ tokenId: { type: 'integer' }, buyer: { type: ['string', 'null'] }, grade: { enum: ['A', 'B'] } });
  });

  it('does not compile with another payload', () => {
    // @ts-expect-error a field of another type
    sold({ tokenId: '7', buyer: null, grade: 'A' }, facts);
    // @ts-expect-error a value that the field does not have
    sold({ tokenId: 7, buyer: null, grade: 'C' }, facts);
    // @ts-expect-error a missing field
    sold({ tokenId: 7, grade: 'A' }, facts);
    // @ts-expect-error a field that the schema does not know
    sold({ tokenId: 7, buyer: null, grade: 'A', price: 1 }, facts);
    expect(sold.topic).toBe('lot.sold');
  });
});
