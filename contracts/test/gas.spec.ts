import { beforeAll, describe, expect, it } from '@jest/globals';
import { GasTable, figures, tolerance } from '../gas/figures.js';
import { measureGas } from '../gas/measure-gas.js';

describe('the gas of the tenant contract, on a local chain', () => {
  let table: GasTable;
  beforeAll(async () => {
    table = new GasTable(await measureGas());
  }, 120_000);

  it.each(figures)('of "$name" stays within 3 % of $promised', ({ promised, measured }) => {
    expect(measured(table)).toBeGreaterThan(promised * (1 - tolerance));
    expect(measured(table)).toBeLessThan(promised * (1 + tolerance));
  });

  it('leaves every operation below the gas limit of a transaction (EIP-7825)', () => {
    expect(table.gas('mint 200')).toBeLessThan(2 ** 24);
    expect(table.gas('transform 500 to 200')).toBeLessThan(2 ** 24);
  });
});
