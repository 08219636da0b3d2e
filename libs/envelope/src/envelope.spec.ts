import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { canonicalJson, type Json } from '#kernel';
import {
  checkDisclosure,
  Classes,
  type ClassRule,
  ContentFault,
  type ContentFaultCode,
  ContentTooLarge,
  type ContentKeys,
  disclose,
  type Envelope,
  expectSubject,
  openContent,
  pointerOf,
  readEnvelope,
  sealContent,
  versionOf,
} from './index.js';
import { sealText } from './sealing.js';
import { opened, SUBJECT } from './testing/index.js';

type Content = { readonly [key: string]: Json };

const RULES: readonly ClassRule[] = [
  { pointer: '/processType', class: 'public' },
  { pointer: '/outputs/*/uom', class: 'public' },
  { pointer: '/metadata/variety', class: 'public' },
  { pointer: '/metadata/plot', class: 'authority' },
  { pointer: '/metadata/plot/geometry', class: 'personal' },
  { pointer: '/metadata/buyer', class: 'legitimate_interest' },
  { pointer: '/metadata/farmers/*/name', class: 'personal' },
  { pointer: '/metadata/farmers/*/phone', class: 'personal' },
];
const CLASSES = new Classes(RULES);

const harvest = (farmers: number): Content => ({
  processType: 'RICE_HARVESTING',
  outputs: [{ uom: 'KGM', quantity: 500 }],
  metadata: {
    variety: 'Jasmine 85',
    moisturePercent: 22,
    buyer: 'Example Mill',
    plot: { id: 'A1', geometry: { type: 'Point', coordinates: [105.783412, 10.034518] } },
    farmers: Array.from({ length: farmers }, (_, i) => ({ name: `Nguyen ${i}`, phone: `+84 90 000 000${i}` })),
  },
});

function faultOf(work: () => unknown): ContentFaultCode | null {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof ContentFault) return error.code;
    throw error;
  }
}

describe('a sealed content', () => {
  it('opens to what it was, whatever it is, and leaves nothing but what is public in the clear', () => {
    const json = fc.jsonValue({ maxDepth: 4 }).filter((value) => isCanonical(value)) as fc.Arbitrary<Json>;
    const pointers = fc.array(
      fc.record({
        pointer: fc.constantFrom('/a', '/a/*', '/b/0', '/b/*/c', '/*', '/c'),
        class: fc.constantFrom('public', 'authority', 'personal'),
      }),
    ) as fc.Arbitrary<ClassRule[]>;
    fc.assert(
      fc.property(fc.record({ a: json, b: fc.array(json), c: json }), pointers, (content, rules) => {
        const sealed = sealContent(content, new Classes(rules), SUBJECT);
        const { content: back, isWhole } = opened(sealed);
        expect(canonicalJson(back)).toBe(canonicalJson(content));
        expect(isWhole).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('has each value in the class that its pointers name, the strictest first', () => {
    const { leaves } = opened(sealContent(harvest(2), CLASSES, SUBJECT));
    const classes = Object.fromEntries(leaves.map((leaf) => [pointerOf(leaf.path), leaf.class]));
    expect(classes).toEqual({
      '/outputs/0/quantity': 'restricted',
      '/metadata/moisturePercent': 'restricted',
      '/metadata/buyer': 'legitimate_interest',
      '/metadata/plot/id': 'authority',
      '/metadata/plot/geometry/type': 'personal',
      '/metadata/plot/geometry/coordinates': 'personal',
      '/metadata/farmers/0/name': 'personal',
      '/metadata/farmers/0/phone': 'personal',
      '/metadata/farmers/1/name': 'personal',
      '/metadata/farmers/1/phone': 'personal',
    });
  });

  it.each([
    [
      'a personal element of coordinates that are public',
      [
        { pointer: '/a', class: 'public' },
        { pointer: '/a/1', class: 'personal' },
      ],
      'personal',
    ],
    ['an empty list under which persons would be', [{ pointer: '/a/*/name', class: 'personal' }], 'personal'],
    ['a public element of coordinates', [{ pointer: '/a/0', class: 'public' }], 'restricted'],
  ] as const)('seals %s by its strictest part', (_, rules, expected) => {
    expect(new Classes(rules).start.to('a').class).toBe(expected);
  });

  it('looks the same for more and fewer persons', () => {
    const shape = (farmers: number) => {
      const { sealed, leaves } = readEnvelope(sealContent(harvest(farmers), CLASSES, SUBJECT).bytes);
      return {
        leaves,
        ...sealed,
        restricted: sealed.restricted?.length,
        authority: sealed.authority?.length,
        personal: sealed.personal?.map((text) => text.length),
      };
    };
    const { legitimate_interest: _1, ...one } = shape(1);
    const { legitimate_interest: _2, ...two } = shape(2);
    const { legitimate_interest: _3, ...three } = shape(3);
    expect(two).toEqual(three);
    // Eight leaves, and sixteen: a power of two is all that shows.
    expect({ ...one, leaves: 16 }).toEqual(two);
  });

  it('of more plots of persons looks the same too, next to more farmers', () => {
    const classes = new Classes([...RULES, { pointer: '/metadata/plots', class: 'personal' }]);
    const shape = (farmers: number, count: number): unknown => {
      const plots = Array.from({ length: count }, (_, i) => ({ id: `A${i}`, area: 2.5 + i }));
      const content = { ...harvest(farmers), metadata: { ...(harvest(farmers)['metadata'] as Content), plots } };
      const { sealed, root: _, ...rest } = readEnvelope(sealContent(content, classes, SUBJECT).bytes);
      return { ...rest, lengths: Object.entries(sealed).map(([name, text]) => [name, [text].flat().map(({ length }) => length)]) };
    };
    const paired = shape(2, 2);
    for (const [farmers, plots] of [
      [3, 2],
      [2, 3],
    ] as const)
      expect(shape(farmers, plots)).toEqual(paired);
  });

  it('is different bytes each time, so no guess of a value is confirmed by a hash', () => {
    const [one, other] = [sealContent(harvest(1), CLASSES, SUBJECT), sealContent(harvest(1), CLASSES, SUBJECT)];
    expect(readEnvelope(one.bytes).root).not.toBe(readEnvelope(other.bytes).root);
    const text = one.bytes.toString();
    for (const word of ['Nguyen', '+84', '105.78', 'Example Mill', 'moisture']) expect(text).not.toContain(word);
    expect(text).toContain('Jasmine 85');
  });

  it('of a tenant that seals nothing has everything in the clear, and no root', () => {
    const content = { a: [null, 1, null], b: {} };
    const sealed = sealContent(content, null, SUBJECT);
    expect(readEnvelope(sealed.bytes)).toMatchObject({ public: content, root: null, leaves: 0, sealed: {} });
    expect(opened(sealed).content).toEqual(content);
  });

  it('keeps members whose names mean something to JavaScript', () => {
    const content = JSON.parse('{"metadata":{"__proto__":{"variety":1},"constructor":"x","length":[{"0":"y"}]}}') as Content;
    expect(canonicalJson(opened(sealContent(content, CLASSES, SUBJECT)).content)).toBe(canonicalJson(content));
  });

  it('without the key of a class has none of its values, and the others all the same', () => {
    const sealed = sealContent(harvest(1), CLASSES, SUBJECT);
    const { leaves, tree } = opened(sealed);
    const closed = leaves.filter((leaf) => leaf.class === 'personal' || leaf.class === 'authority').map(({ index }) => tree[index]!);
    const keys = { ...sealed.keys, personal: [], authority: null };
    const { content, isWhole } = opened({ ...sealed, keys, hidden: [...sealed.hidden, ...closed] });
    expect(isWhole).toBe(false);
    expect(content['metadata']).toEqual({ variety: 'Jasmine 85', moisturePercent: 22, buyer: 'Example Mill' });
  });

  it('has null where a key was destroyed, and all other values of the class', () => {
    const sealed = sealContent(harvest(2), CLASSES, SUBJECT);
    const { leaves, tree } = opened(sealed);
    const phone = leaves.find(({ path }) => path.join('/') === 'metadata/farmers/1/phone')!;
    const personal = sealed.keys.personal!.map((key, place) => (place === phone.place ? null : key));
    const keys = { ...sealed.keys, personal };
    const { content, isWhole } = opened({ ...sealed, keys, hidden: [...sealed.hidden, tree[phone.index]!] }, SUBJECT.tenant, [phone.path]);
    const whole = harvest(2) as { metadata: { farmers: { phone: string | null }[] } };
    whole.metadata.farmers[1]!.phone = null;
    expect([content, isWhole]).toEqual([whole, false]);
  });

  it('of thousands of values is refused before any is hashed, and the largest that fits is not', () => {
    let drawn = 0;
    const random = (count: number) => (drawn++, new Uint8Array(count));
    const of = (count: number) => ({ list: Array.from({ length: count }, (_, i) => ({ i })) });
    expect(() => sealContent(of(6_000), CLASSES, SUBJECT, random)).toThrow(ContentTooLarge);
    expect(drawn).toBe(0);
    expect(sealContent(of(3_000), CLASSES, SUBJECT).bytes.length).toBeLessThan(256 * 1024);
  });

  it('names the place of a value that has no canonical form', () => {
    const content = { metadata: { plot: { id: '\ud800' } } };
    expect(() => sealContent(content, CLASSES, SUBJECT)).toThrow(
      expect.objectContaining({ pointer: '/metadata/plot/id', code: 'lone_surrogate' }),
    );
  });
});

const SALTED = '[["AAAAAAAAAAAAAAAAAAAAAA",["x"],1]]';

describe('a manipulated block', () => {
  const sealed = sealContent(harvest(2), CLASSES, SUBJECT);
  const envelope = readEnvelope(sealed.bytes);
  const open = (changed: Partial<Envelope>, keys: ContentKeys = sealed.keys, hidden = sealed.hidden, tenant = SUBJECT.tenant) =>
    faultOf(() => openContent({ ...envelope, ...changed }, { tenant, keys, hidden, erased: [] }));
  const { restricted, authority, personal } = envelope.sealed as Required<Envelope['sealed']>;
  const other = sealContent(harvest(2), CLASSES, { ...SUBJECT, id: 'another' });
  const otherTenant = sealContent(harvest(2), CLASSES, { ...SUBJECT, tenant: 'another' });
  const otherOne = readEnvelope(other.bytes);
  const swapped = [personal[1]!, personal[0]!, ...personal.slice(2)];
  const swappedKeys = [sealed.keys.personal![1]!, sealed.keys.personal![0]!, ...sealed.keys.personal!.slice(2)];
  const movable = sealed.keys.personal!.slice(0, 2).some((key) => key !== null);

  it('opens while nothing is changed', () => expect(open({})).toBeNull());

  it.each<[string, () => ContentFaultCode | null, ContentFaultCode]>([
    ['a wrong key', () => open({}, { ...sealed.keys, restricted: Buffer.alloc(32) }), 'wrong_key'],
    ['a key of another length', () => open({}, { ...sealed.keys, restricted: Buffer.alloc(31) }), 'wrong_key'],
    ['a text that was cut', () => open({ sealed: { ...envelope.sealed, restricted: restricted.slice(0, -8) } }), 'wrong_key'],
    ['a text that was cut to nothing', () => open({ sealed: { ...envelope.sealed, restricted: 'AAAA' } }), 'wrong_key'],
    [
      'classes that were exchanged',
      () => open({ sealed: { ...envelope.sealed, restricted: authority, authority: restricted } }),
      'wrong_key',
    ],
    [
      'classes that were exchanged with their keys',
      () =>
        open(
          { sealed: { ...envelope.sealed, restricted: authority, authority: restricted } },
          { ...sealed.keys, restricted: sealed.keys.authority!, authority: sealed.keys.restricted! },
        ),
      'wrong_key',
    ],
    ['a class that is there twice', () => open({ sealed: { ...envelope.sealed, authority: restricted } }), 'wrong_key'],
    ['a class that was left out', () => open({ sealed: { ...envelope.sealed, authority: undefined as never } }), 'wrong_key'],
    ['a personal value that was left out', () => open({ sealed: { ...envelope.sealed, personal: personal.slice(1) } }), 'wrong_key'],
    [
      'personal values that changed places',
      () =>
        movable
          ? open({ sealed: { ...envelope.sealed, personal: swapped } }, { ...sealed.keys, personal: swappedKeys })
          : open(
              { sealed: { ...envelope.sealed, personal: personal.toReversed() } },
              { ...sealed.keys, personal: sealed.keys.personal!.toReversed() },
            ),
      'wrong_key',
    ],
    ['a root of another block', () => open({ root: otherOne.root }), 'wrong_key'],
    ['another number of leaves', () => open({ leaves: envelope.leaves * 2 }), 'wrong_key'],
    ['leaves of another block', () => open({}, sealed.keys, other.hidden), 'wrong_root'],
    ['a leaf that is missing', () => open({}, sealed.keys, sealed.hidden.slice(1)), 'wrong_root'],
    ['a leaf more', () => open({}, sealed.keys, [...sealed.hidden, other.hidden[0]!]), 'wrong_root'],
    ['a leaf twice', () => open({}, sealed.keys, [...sealed.hidden.slice(1), sealed.hidden[1]!]), 'wrong_root'],
    ['a key less', () => open({}, { ...sealed.keys, authority: null }), 'wrong_root'],
    ['a class of another event', () => open({ sealed: otherOne.sealed }, other.keys), 'wrong_key'],
    ['another event as a whole', () => open({ ...otherOne, id: SUBJECT.id }, other.keys, other.hidden), 'wrong_key'],
    ['another tenant’s block', () => open(readEnvelope(otherTenant.bytes), otherTenant.keys, otherTenant.hidden), 'wrong_key'],
    ['another chain', () => open({ chainId: 1 }), 'wrong_key'],
    ['another kind', () => open({ kind: 'note' }), 'wrong_key'],
    ['public words that are sealed too', () => open({ public: { ...envelope.public, metadata: { moisturePercent: 23 } } }), 'double_path'],
    [
      'a public word that goes through a sealed one',
      () => open({ public: { ...envelope.public, metadata: { buyer: { name: 'x' } } } }),
      'double_path',
    ],
    ['an element that is nowhere', () => open({ public: { ...envelope.public, list: [null, 'x'] } }), 'hole'],
    ['a public list of numbers that another number lengthens', () => lengthened(), 'public_and_sealed'],
    ['a value that is sealed and not in the tree', () => forged(SALTED.padEnd(128)), 'wrong_root'],
    ['a sealed text of another length', () => forged(SALTED), 'wrong_padding'],
    ['a sealed text in another order of members', () => forged('[["AAAAAAAAAAAAAAAAAAAAAA",["x"], 1]]'.padEnd(128)), 'wrong_padding'],
    ['a sealed text that is no JSON', () => forged('['.padEnd(128)), 'wrong_leaf'],
    ['a value without a salt', () => forged('[["",["x"],1]]'.padEnd(128)), 'wrong_leaf'],
    ['a value that has parts', () => forged('[["AAAAAAAAAAAAAAAAAAAAAA",["x"],{"y":1}]]'.padEnd(128)), 'wrong_leaf'],
  ])('is found, and named: %s', (_, find, code) => expect(find()).toBe(code));

  it.each<[string, (value: Record<string, unknown>) => Record<string, unknown>, ContentFaultCode]>([
    ['another version', (value) => ({ ...value, v: 3 }), 'other_version'],
    ['a member more', (value) => ({ ...value, note: 1 }), 'unknown_member'],
    ['a class that nobody knows', (value) => ({ ...value, sealed: { ...(value['sealed'] as object), secret: 'AAAA' } }), 'not_an_envelope'],
    ['a root of another form', (value) => ({ ...value, root: '0x12' }), 'not_an_envelope'],
    ['sealed classes without a root', (value) => ({ ...value, root: null, leaves: 0 }), 'not_an_envelope'],
    ['leaves that are no power of two', (value) => ({ ...value, leaves: 12 }), 'not_an_envelope'],
    ['a member less', (value) => Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'kind')), 'not_an_envelope'],
  ])('is not read: %s', (_, change, code) => {
    const bytes = Buffer.from(canonicalJson(change(JSON.parse(sealed.bytes.toString()) as Record<string, unknown>)));
    expect(faultOf(() => readEnvelope(bytes))).toBe(code);
  });

  it.each([
    ['no JSON', Buffer.from('{')],
    ['a list', Buffer.from('[]')],
    ['more than 256 KiB', Buffer.from(`{"v":2,"x":"${'x'.repeat(256 * 1024)}"}`)],
    ['spaces around it', Buffer.concat([sealed.bytes, Buffer.from(' ')])],
    ['a member twice', Buffer.from(sealed.bytes.toString().replace('"v":2', '"v":2,"v":2'))],
    ['bytes that are no text', Buffer.from([0xff, 0xfe])],
  ])('is not read: %s', (_, bytes) => expect(faultOf(() => readEnvelope(bytes))).toBe('not_an_envelope'));

  it('says what it is about, which is compared', () => {
    expect(faultOf(() => expectSubject(envelope, SUBJECT))).toBeNull();
    for (const change of [{ chainId: 1 }, { contract: `0x${'1'.repeat(40)}` }, { kind: 'note' as const }])
      expect(faultOf(() => expectSubject(envelope, { ...SUBJECT, ...change }))).toBe('wrong_subject');
    expect([versionOf(sealed.bytes), versionOf(Buffer.from('{"v":1}')), versionOf(Buffer.from('x'))]).toEqual([2, 1, null]);
  });

  it('with any one byte changed does not open to another content', () => {
    fc.assert(
      fc.property(fc.nat(sealed.bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const bytes = Buffer.from(sealed.bytes);
        bytes[at]! ^= by;
        const fault = faultOf(() => {
          const { content } = opened({ ...sealed, bytes });
          const isInDecoy = canonicalJson(content) === canonicalJson(harvest(2));
          const isPublic = canonicalJson(readEnvelope(bytes).public) !== canonicalJson(envelope.public);
          // What is public is bound by the CID alone; a decoy is opened by nobody.
          expect(isInDecoy || isPublic).toBe(true);
        });
        expect(fault === null || typeof fault === 'string').toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  /** The reader would see another list than the one that is public. */
  function lengthened(): ContentFaultCode | null {
    const rules = [0, 1].map((i) => ({ pointer: `/a/${i}`, class: 'public' as const }));
    const made = sealContent({ a: ['x', 'y', 3] }, new Classes(rules), SUBJECT);
    const block = { ...readEnvelope(made.bytes), public: { a: [1, 2] } };
    return faultOf(() => openContent(block, { ...made, tenant: SUBJECT.tenant, erased: [] }));
  }

  /** By a recorder who has the key. */
  function forged(text: string): ContentFaultCode | null {
    const place = { ...SUBJECT, root: envelope.root!, leaves: envelope.leaves, class: 'restricted', index: 0, count: 1 } as const;
    return open({ sealed: { ...envelope.sealed, restricted: sealText(Buffer.from(text), sealed.keys.restricted!, place) } });
  }
});

describe('a disclosure', () => {
  const sealed = sealContent(harvest(2), CLASSES, SUBJECT);
  const envelope = readEnvelope(sealed.bytes);
  const { leaves, tree } = opened(sealed);
  const one = disclose(leaves, tree)[0]!;

  it('of each value leads to the root, and tells that value alone', () => {
    for (const leaf of leaves) {
      const disclosure = disclose([leaf], tree)[0]!;
      expect(checkDisclosure(envelope, disclosure)).toEqual({ path: leaf.path, value: leaf.value });
      const disclosed = JSON.stringify(disclosure);
      expect(leaves.filter((other) => disclosed.includes(other.text.slice(2, 24)))).toEqual([leaf]);
    }
  });

  it.each<[string, () => unknown]>([
    ['another value', () => checkDisclosure(envelope, { ...one, bytes: one.bytes.replace(/\]$/, '0]') })],
    ['a value of another place', () => checkDisclosure(envelope, { ...one, bytes: leaves[1]!.text })],
    ['a longer path', () => checkDisclosure(envelope, { ...one, path: [...one.path, one.path[0]!] })],
    ['a shorter path', () => checkDisclosure(envelope, { ...one, path: one.path.slice(1) })],
    ['another index', () => checkDisclosure(envelope, { ...one, index: one.index ^ 1 })],
    [
      'an index that is out of the tree, and leads to the same nodes',
      () => checkDisclosure(envelope, { ...one, index: one.index + envelope.leaves }),
    ],
    ['a negative index', () => checkDisclosure(envelope, { ...one, index: -1 })],
    ['a node that is taken for a leaf', () => checkDisclosure(envelope, { ...one, bytes: one.path[0]! })],
    ['a block in which nothing is sealed', () => checkDisclosure({ root: null, leaves: 0 }, { ...one, path: [] })],
  ])('is refused: %s', (_, check) => expect(() => check()).toThrow(ContentFault));
});

function isCanonical(value: unknown): boolean {
  try {
    canonicalJson(value);
    return true;
  } catch {
    return false;
  }
}
