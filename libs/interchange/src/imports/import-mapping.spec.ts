import { describe, expect, it } from '@jest/globals';
import { eventOfRows } from './event-of-row.js';
import { type BoundColumn, type ColumnMapping, boundColumns } from './import-mapping.js';

const column = (to: string, more: Partial<ColumnMapping> = {}): ColumnMapping => ({ column: to, to, as: 'text', ...more });
const bound = (...columns: readonly ColumnMapping[]): ReturnType<typeof boundColumns> =>
  boundColumns(
    { processType: 'P', columns },
    columns.map((one, index) => ({ column: index, letter: String.fromCharCode(65 + index), header: one.column })),
  );

describe('the target of a column', () => {
  it('named like what every object inherits is a value like any other, and changes no other object', () => {
    const columns = bound(column('/metadata/constructor/prototype/isAdmin'), column('/metadata/toString')) as readonly BoundColumn[];
    const cells = ['x', 'y'].map((text) => ({ kind: 'text', text }));
    const event = eventOfRows([{ row: 2, cells }], columns);
    expect(({} as { readonly isAdmin?: string }).isAdmin).toBeUndefined();
    expect(JSON.stringify(event)).toContain('"metadata":{"constructor":{"prototype":{"isAdmin":"x"}},"toString":"y"}');
    expect(bound(column('/metadata/__proto__/isAdmin'))).toMatchObject([{ code: 'target_unknown' }]);
  });

  it('is not inside a value that another column gives, except the unit of a quantity', () => {
    expect(bound(column('/metadata/a'), column('/metadata/a/b'))).toMatchObject([
      { pointer: '/columns/1/to', code: 'target_within_value' },
    ]);
    const lookup = { much: 1 };
    expect(bound(column('/metadata/a/uom'), column('/metadata/a', { as: 'quantity', lookup }))).toMatchObject([
      { pointer: '/columns/0/to', code: 'target_within_value' },
    ]);
    expect(bound(column('/metadata/a', { as: 'quantity' }), column('/metadata/a/uom', { as: 'unit' }))).toMatchObject([
      { index: 0 },
      { index: 1 },
    ]);
  });
});
