import { describe, expect, it } from '@jest/globals';
import { isGln, isLei } from './organisation.js';

describe('registered numbers', () => {
  it('of GS1 and ISO 17442 are checked by their check digits', () => {
    expect(['9520000100018', '9520000100025', '9520000100019', '952000010001'].map(isGln)).toEqual([true, true, false, false]);
    expect(['5493001KJTIIGC8Y1R12', '5493001KJTIIGC8Y1R21', '5493001kjtiigc8y1r12'].map(isLei)).toEqual([true, false, false]);
  });
});
