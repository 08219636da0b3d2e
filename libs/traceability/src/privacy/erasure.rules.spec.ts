import { describe, expect, it } from '@jest/globals';
import { type OpenedLeaf, pointerOf, type SealedClass } from '#envelope';
import type { Process } from '../process-maps/process-map.js';
import { chooseLeaves, neededPointers, ofSamePerson, withoutValue, withoutValues } from './erasure.rules.js';
import { namedBy, subjectPattern } from './subject.rules.js';

const leaf = (pointer: string, value: OpenedLeaf['value'], name: SealedClass = 'personal'): OpenedLeaf => ({
  path: pointer
    .slice(1)
    .split('/')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
  ...{ value, class: name, text: '', index: 0, place: 0 },
});
const process = {
  fields: { quantity: '/netWeight' },
  footprint: { boundary: 'x', indicators: [{ indicator: 'gwp', path: '/energy/kwh', required: true }] },
} as unknown as Process;
const LEAVES = [
  leaf('/metadata/farmers/0/name', 'Nguyen Van A'),
  leaf('/metadata/farmers/0/phone', '+84 90 000 0001'),
  leaf('/metadata/farmers/1/name', 'Tran Thi B'),
  leaf('/metadata/fieldName', 'Upper field of Nguyen Van A'),
  leaf('/metadata/buyer', 'Mill', 'restricted'),
  leaf('/metadata/netWeight/value', 500, 'restricted'),
  leaf('/metadata/permit', 'P-1', 'authority'),
  leaf('/metadata/plotNumber', 'X-1', 'authority'),
];
const choose = (selection: Parameters<typeof chooseLeaves>[1]) => {
  const content = { leaves: LEAVES, shown: { metadata: { variety: 'Jasmine' } }, erased: [['metadata', 'farmers', 2, 'name']] };
  const { leaves, refused } = chooseLeaves(content, selection, neededPointers(process));
  return { chosen: leaves.map(({ path }) => pointerOf(path)), refused: refused.map(({ pointer, code }) => `${pointer}: ${code}`) };
};

describe('an erasure', () => {
  it('takes values of persons one by one, with everything under a pointer', () => {
    expect(choose({ pointers: ['/metadata/farmers/0', '/metadata/fieldName'] })).toEqual({
      chosen: ['/metadata/farmers/0/name', '/metadata/farmers/0/phone', '/metadata/fieldName'],
      refused: [],
    });
  });

  it('takes a class that is sealed whole as a whole only, named as one or pointer by pointer', () => {
    const both = ['/metadata/permit', '/metadata/plotNumber'];
    expect(choose({ pointers: ['/metadata/permit'] }).refused).toEqual(['/metadata/permit: not_separable']);
    expect(choose({ pointers: both })).toEqual({ chosen: both, refused: [] });
    expect(choose({ classes: ['authority'] })).toEqual({ chosen: both, refused: [] });
  });

  it('refuses what is public, what is not there, and what the record needs', () => {
    expect(choose({ pointers: ['/metadata/variety', '/metadata/nothing'] }).refused).toEqual([
      '/metadata/variety: not_erasable',
      '/metadata/nothing: nothing_sealed',
    ]);
    expect(choose({ classes: ['restricted'] }).refused).toEqual(['/metadata/netWeight/value: needed_for_record']);
  });

  it('of a value that was erased before has nothing to do', () => {
    expect(choose({ pointers: ['/metadata/farmers/2/name'] })).toEqual({ chosen: [], refused: [] });
  });

  it('keeps what masses, footprints and times are computed from', () => {
    const needed = neededPointers(process);
    for (const pointer of ['/metadata/netWeight', '/metadata/energy/kwh', '/metadata/eventTime', '/metadata/losses'])
      expect(needed).toContain(pointer);
    expect(neededPointers(null)).toContain('/metadata/quantity');
  });

  it('leaves null in every column that repeats the value', () => {
    const metadata = { location: { name: 'Farm', phone: '+84' }, list: [{ a: 1 }, { a: 2 }] };
    expect(
      withoutValues({ metadata, location: metadata.location, documents: [] }, null, [
        ['metadata', 'location', 'phone'],
        ['metadata', 'list', 1, 'a'],
      ]),
    ).toEqual({
      metadata: { location: { name: 'Farm', phone: null }, list: [{ a: 1 }, { a: null }] },
      location: { name: 'Farm', phone: null },
      documents: [],
    });
    expect(metadata.location.phone).toBe('+84');
    expect(withoutValue({ a: 1 }, ['b', 'c'])).toEqual({ a: 1 });
    expect(JSON.stringify(withoutValue(JSON.parse('{"__proto__":{"x":1}}'), ['__proto__', 'x']))).toBe('{"__proto__":{"x":null}}');
  });
});

describe('a person', () => {
  const said = (value: string): string[] => namedBy(LEAVES, subjectPattern(value)).map(({ path }) => pointerOf(path));

  it('is found by name in any case and with any spaces, in whole words', () => {
    expect(said(' nguyen  VAN a ')).toEqual(['/metadata/farmers/0/name', '/metadata/fieldName']);
    expect(said('Nguyen')).toEqual(['/metadata/farmers/0/name', '/metadata/fieldName']);
    expect(said('Nguy')).toEqual([]);
  });

  it('is found by a phone number, however it is written', () => {
    for (const phone of ['+84900000001', '84 90-000-0001', '(84) 90 000 00 01']) expect(said(phone)).toEqual(['/metadata/farmers/0/phone']);
    expect(said('+84 90 000 000')).toEqual([]);
  });

  it('has the values in the same object too, and no other person’s', () => {
    const person = ofSamePerson(LEAVES, namedBy(LEAVES, subjectPattern('Nguyen Van A')));
    expect(person.map(({ path }) => pointerOf(path))).toEqual([
      '/metadata/farmers/0/name',
      '/metadata/farmers/0/phone',
      '/metadata/fieldName',
    ]);
  });
});
