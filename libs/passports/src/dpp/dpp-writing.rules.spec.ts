import { describe, expect, it } from '@jest/globals';
import { patchAt } from './dpp-writing.rules.js';

describe('a patch of one element', () => {
  const current = { materials: [{ name: 'a', parts: ['x'] }] };

  it('writes an item with its list', () => {
    expect(patchAt(['materials', 0, 'name'], 'b', current)).toEqual({ materials: [{ name: 'b', parts: ['x'] }] });
    expect(patchAt(['materials', 0, 'mass'], 1, current)).toEqual({ materials: [{ name: 'a', parts: ['x'], mass: 1 }] });
    expect(patchAt(['materials', 0, 'parts', 0], 'y', current)).toEqual({ materials: [{ name: 'a', parts: ['y'] }] });
  });

  it.each([[['materials', 999_999_999]], [['materials', 1, 'name']], [['materials', 0, 'parts', 1]]])(
    'leaves no gap in a list, which would be as long as its client wants: %j',
    (steps) => {
      expect(patchAt(steps, 'b', current)).toBeNull();
    },
  );
});
