import { describe, expect, it } from '@jest/globals';
import { quantityThen, type QuantityWords } from './lot-at-event.js';

const line = (tokenId: number, quantity: number | string | null = null) => ({ tokenId, quantity, uom: 'KGM' });
const words = (metadata: object | null, inputs: readonly number[], outputs: readonly number[] = []): QuantityWords => ({
  metadata,
  fields: { quantity: '/much' },
  inputs: inputs.map((tokenId) => ({ tokenId })),
  outputs,
});
const then = { tlc: 'L1', remaining: '70', uom: 'KGM' };

describe('how much of a lot an event is about', () => {
  it('is what it used or made of it', () => {
    expect(quantityThen(words({ much: { value: 5, uom: 'XCS' } }, [1]), line(1, '30'), then)).toEqual({ quantity: '30', uom: 'KGM' });
  });

  it('is what it states of its only lot, or of a lot among several', () => {
    const much = { value: 5, uom: 'XCS' };
    expect(quantityThen(words({ much }, [1]), line(1), then)).toEqual({ quantity: 5, uom: 'XCS' });
    expect(quantityThen(words({ much }, [1, 2]), line(1), then)).toEqual({ quantity: '70', uom: 'KGM' });
    expect(quantityThen(words({ much }, [1], [2]), line(1), then)).toEqual({ quantity: '70', uom: 'KGM' });
    const inputs = [{ tlc: 'L1', quantity: { value: 40, uom: 'KGM' } }, { tokenId: 2, quantity: { value: 9, uom: 'KGM' } }, 'odd'];
    expect([1, 2].map((id) => quantityThen(words({ inputs }, [1, 2]), line(id), { ...then, tlc: `L${id}` }).quantity)).toEqual([40, 9]);
  });

  it('is what it states of a part, though another part has the same code', () => {
    const inputs = [1, 2].map((tokenId) => ({ tokenId, tlc: 'L1', quantity: { value: tokenId * 10, uom: 'KGM' } }));
    expect([1, 2, 3].map((id) => quantityThen(words({ inputs }, [1, 2, 3]), line(id), then).quantity)).toEqual([10, 20, '70']);
  });

  it('is all that there was right after it, where it states nothing that is a quantity', () => {
    for (const much of [undefined, null, 7, 'much', { value: 0, uom: 'KGM' }, { value: '5', uom: 'KGM' }, { value: 5 }])
      expect(quantityThen(words({ much }, [1]), line(1, 0), then)).toEqual({ quantity: '70', uom: 'KGM' });
    expect(quantityThen(words(null, [1]), line(1), { ...then, remaining: null })).toEqual({ quantity: null, uom: null });
    expect(quantityThen(words(null, [1]), line(1), undefined)).toEqual({ quantity: null, uom: 'KGM' });
  });
});
