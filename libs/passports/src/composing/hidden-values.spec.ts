import { describe, expect, it } from '@jest/globals';
import { withoutHidden } from './hidden-values.rules.js';

const shown = (values: Record<string, unknown>, ...hidden: string[]): unknown => withoutHidden({ id: 1, values, hidden });

describe('values that a map calls public', () => {
  it('are left out where they are, or are inside, what is for authorities', () => {
    expect(shown({ '/a': 1, '/plot/geometry': {}, '/plotted': 2 }, '/a', '/plot')).toEqual({ id: 1, values: { '/plotted': 2 } });
  });

  it('are shown without the members that are for authorities', () => {
    const values = { '/plot': { id: 'N', at: { lat: 1, lon: 2, 'a/b': 3 } }, '/text': 'x' };
    expect(shown(values, '/plot/at/lat', '/plot/at/a~1b', '/plot/none', '/text/0', '/plot/id/length')).toEqual({
      id: 1,
      values: { '/plot': { id: 'N', at: { lon: 2 } }, '/text': 'x' },
    });
  });

  it('are shown without the items that are for authorities, each counted as before the others left', () => {
    const values = { '/list': ['a', 'b', 'c', { d: 1, e: [1, 2] }], '/other': ['a'] };
    expect(shown(values, '/list/0', '/list/1', '/list/3/d', '/list/3/e/0', '/list/01', '/list/length', '/other/1')).toEqual({
      id: 1,
      values: { '/list': ['c', { e: [2] }], '/other': ['a'] },
    });
  });

  it('take a time that grows with the values and the pointers, not with their product', () => {
    const list = Array.from({ length: 15_000 }, (_, i) => ({ [`k${i}`]: i }));
    const wide = Object.fromEntries(list.map((_, i) => [`k${i}`, i]));
    const hidden = Array.from({ length: 250 }, (_, i) => [`/list/${i}/k${i}`, `/wide/k${i}`]).flat();
    const started = performance.now();
    const { values } = withoutHidden({ values: { '/list': list, '/wide': wide }, hidden });
    expect(performance.now() - started).toBeLessThan(500);
    expect(values['/list']).toHaveLength(15_000);
    expect(Object.keys(values['/wide'] as object)).toHaveLength(14_750);
  });
});
