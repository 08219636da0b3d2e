import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { decompressed } from './compressed-link.js';
import { type DigitalLink, DigitalLinkFault, isDigitalLinkPath, readDigitalLink } from './digital-link.js';

const read = (path: string): DigitalLink => {
  const link = readDigitalLink(path);
  if (link === null || link instanceof DigitalLinkFault) throw new Error(`${path}: ${link?.message ?? 'no link'}`);
  return link;
};

describe('a Digital Link', () => {
  it.each([
    ['/00/095201234567891235', ['/00/095201234567891235']],
    ['/01/09520123450014', ['/01/09520123450014']],
    ['/01/9520123450014', ['/01/09520123450014']],
    ['/01/09520123450014/', ['/01/09520123450014']],
    ['/01/09520123450014/10/A%2F1', ['/01/09520123450014/10/A%2F1', '/01/09520123450014']],
    ['/01/09520123450014/10/%411', ['/01/09520123450014/10/A1', '/01/09520123450014']],
    ['/01/09520123450014/21/S9', ['/01/09520123450014/21/S9', '/01/09520123450014']],
    ['/01/09520123450014/22/2A', ['/01/09520123450014/22/2A', '/01/09520123450014']],
    ['/01/09520123450014/235/T%261', ['/01/09520123450014/235/T%261', '/01/09520123450014']],
    // GS1-Conformant Resolver §2.5.9: what is known of each part of it belongs to it.
    [
      '/01/09520123450014/22/2A/10/A1/21/S9',
      [
        '/01/09520123450014/21/S9',
        '/01/09520123450014/22/2A/10/A1',
        '/01/09520123450014/10/A1',
        '/01/09520123450014/22/2A',
        '/01/09520123450014',
      ],
    ],
    ['/414/9520000100018/254/dock-1', ['/414/9520000100018/254/dock-1', '/414/9520000100018']],
    [
      '/414/9520000100018/254/dock-1/7040/1ABC',
      ['/414/9520000100018/254/dock-1/7040/1ABC', '/414/9520000100018/254/dock-1', '/414/9520000100018'],
    ],
    ['/417/9520000100018', ['/417/9520000100018']],
    ['/8003/09520000100018', ['/8003/09520000100018']],
    ['/8003/09520000100018AB12', ['/8003/09520000100018AB12']],
    ['/8004/95200001ABC', ['/8004/95200001ABC']],
    ['/8006/095201234500140102/10/A1', ['/8006/095201234500140102/10/A1', '/8006/095201234500140102']],
    ['/8010/95200001%2FA/8011/12', ['/8010/95200001%2FA/8011/12', '/8010/95200001%2FA']],
    ['/8018/952000010000000018/8019/1', ['/8018/952000010000000018/8019/1', '/8018/952000010000000018']],
    ['/253/9520000100018DOC-1', ['/253/9520000100018DOC-1']],
  ])('%s names, the finest first, %j', (path, levels) => {
    expect(isDigitalLinkPath(path)).toBe(true);
    expect(read(path).levels).toEqual(levels);
  });

  it('keeps the lot number of an item, and its whole path', () => {
    expect(read('/01/09520123450014/10/A1/21/S9')).toMatchObject({
      lot: 'A1',
      path: '/01/09520123450014/10/A1/21/S9',
      isCompressed: false,
    });
  });

  it.each([
    ['no value', '/01/'],
    ['a wrong check digit', '/01/09520123450015'],
    ['letters for a GTIN', '/01/abc'],
    ['a GTIN of another length', '/01/0952012345'],
    ['a wrong check digit of an SSCC', '/00/095201234567891234'],
    ['a wrong check digit of a GRAI', '/8003/09520000100019AB'],
    ['a wrong check digit of an ITIP', '/8006/095201234500150102'],
    ['a qualifier of another key', '/01/09520123450014/254/A'],
    ['qualifiers in another order', '/01/09520123450014/21/S9/10/A1'],
    ['a qualifier twice', '/01/09520123450014/10/A1/10/A2'],
    ['a third-party serial number with a lot number', '/01/09520123450014/10/A1/235/T1'],
    ['a qualifier of a key without any', '/00/095201234567891235/10/A1'],
    ['a qualifier without a value', '/01/09520123450014/10'],
    ['a word', '/01/09520123450014/foo'],
    ['an empty value', '/01/09520123450014/10//21/S9'],
    ['a lot number of 21 characters', `/01/09520123450014/10/${'9'.repeat(21)}`],
    ['a letter beyond the character set', '/01/09520123450014/10/%E1%BB%93'],
    ['a space', '/01/09520123450014/10/A%201'],
    ['a slash too many', '/01//09520123450014'],
    ['a CPID in small letters', '/8010/95200001a'],
    ['a CPID serial that begins with zero', '/8010/95200001A/8011/012'],
  ])('with %s has a fault in a sentence', (_, path) => {
    const fault = readDigitalLink(path);
    expect(fault).toBeInstanceOf(DigitalLinkFault);
    expect((fault as DigitalLinkFault).message).toMatch(/^.{10,200}\.$/);
  });

  it.each([
    '/',
    '',
    '/portal',
    '/portal/lots',
    '/api/v1/nfts',
    '/p/8b715df37137cdcff72e507172c6c9ad',
    '/0',
    '/011/1',
    '/1/01',
    '/docs/01/09520123450014',
  ])('%s is none', (path) => {
    expect([isDigitalLinkPath(path), readDigitalLink(path)]).toEqual([false, null]);
  });
});

/** Published pairs: the toolkits of GS1 and of others make and read them alike. */
describe('a compressed Digital Link', () => {
  it.each([
    ['/AN2yxDhfaiaw', '/00/998440410914660971'],
    ['/AQnYUc1gmg', '/01/05412345000013'],
    ['/AQnYUc1gmiCNV4JG', '/01/05412345000013/10/ABC123'],
    ['/AQnYUc1gmiCNV4JGQhcNT6K6cibQCWN9Pee9tT-PQ', '/01/05412345000013/22/AJY3095721P49/10/ABC123/21/72292641703'],
    ['/AQnYUc1gmkax7ipGrOHDPC5YNI8hMz', '/01/05412345000013/235/8TFV883a904GH%263'],
    ['/AQnYUc1gmkIXDU-iun', '/01/05412345000013/21/72292641703'],
    ['/JTLIetaiHYA', '/253/3060077601309'],
    ['/JVUqG5hJ5wA', '/255/5678409730535'],
    ['/QBl2DVoxZM2jVm3ZOWEFoxTR5HDgzZg', '/401/0541234537290A41%26GHpp33'],
    ['/QCJZyW9mC6Z4', '/402/21173492661712079'],
    ['/QUSaVjC_dA', '/414/5060917510004'],
    ['/JUa0T-eifdtOO9UFEmlYwv3Q', '/414/5060917510004/254/RP56J920471'],
    ['/QXSaVjC_dHBAVlCrg', '/417/5060917510004/7040/5KFX'],
    ['/gAMJCAXukTMA', '/8003/04965031954585'],
    ['/gASXYNWjFkzaNWbdk5YQWjFNHkcODNm', '/8004/0541234537290A41%26GHpp33'],
    ['/EEarwSMhC4an0V08ADBgJH7Zo2BMg', '/8006/054123450000130201/10/ABC123/21/72292641703'],
    ['/gBCVYNWjFkzaNWbdk5YQWjFHHkM2cAI0xdvpGo', '/8010/0541234537290A41%23GH33/8011/6639047221'],
    ['/gBN05060917511473062B98T', '/8013/5060917511473062B98T'],
    ['/gBe1ajAd9ATDmAGXPRfk', '/8017/817019610850151481/8019/4003812'],
    ['/gBhbV6rzBENPmAGXPRfk', '/8018/411369833821910265/8019/4003812'],
    // In part.
    ['/01/05412345000013/EEarwSMhC4an0V04', '/01/05412345000013/10/ABC123/21/72292641703'],
    ['/414/5060917510004/cEBWUKu', '/414/5060917510004/7040/5KFX'],
    ['/8018/411369833821910265/gBlz0X5A/', '/8018/411369833821910265/8019/4003812'],
  ])('%s is %s', (compressed, path) => {
    expect(isDigitalLinkPath(compressed)).toBe(true);
    expect(read(compressed)).toMatchObject({ path, isCompressed: true, query: '' });
  });

  it('has the pairs of its query in it, those of other names too', () => {
    // (01)09520123450014 (17)261231 and x=y, by hand: 0D, 47 bits, 20 bits; F, a name of one letter, one letter in base 64.
    const bits = [
      ['00001101', BigInt('9520123450014').toString(2).padStart(47, '0'), (261_231).toString(2).padStart(20, '0')],
      ['1111', '0000001', (49).toString(2).padStart(6, '0'), '011', '0000001', (50).toString(2).padStart(6, '0')],
    ]
      .flat()
      .join('');
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const text = bits
      .padEnd(Math.ceil(bits.length / 6) * 6, '0')
      .match(/.{6}/g)!
      .map((six) => alphabet[Number.parseInt(six, 2)])
      .join('');
    expect(read(`/${text}`)).toMatchObject({ path: '/01/09520123450014', query: '17=261231&x=y' });
  });

  it('is no link where its bits are cut, name no identifier, or end in something', () => {
    for (const text of ['AQnYUc1g', 'AQnYUc1gmiCNV4J', 'portal', 'zzzzzzzzzzzzzz', 'AQnYUc1gm_', 'A'.repeat(501)])
      expect(decompressed(text)).toBeNull();
  });

  it('is read or refused, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'AQnYUc1gmiCNV4JGEa_-09'.split('')), maxLength: 80 }), (text) => {
        const found = readDigitalLink(`/${text}`);
        return found === null || found instanceof DigitalLinkFault || read(found.path).path === found.path;
      }),
      { numRuns: 2_000 },
    );
  });
});
