import { describe, expect, it } from '@jest/globals';
import { GAS_CAP, gasLimitFor } from './account.client.js';

describe('the gas limit of a relay', () => {
  it('has a fifth more than the estimate, and never more than a block takes of one transaction', () => {
    expect(gasLimitFor(100_000n)).toBe(120_000n);
    const most = (GAS_CAP * 10n) / 12n;
    expect(gasLimitFor(most)).toBeLessThanOrEqual(GAS_CAP);
    expect(() => gasLimitFor(most + 2n)).toThrow(expect.objectContaining({ code: 'gas_limit_exceeded', status: 422 }));
  });
});
