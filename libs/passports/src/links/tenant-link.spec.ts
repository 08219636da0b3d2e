import { describe, expect, it } from '@jest/globals';
import { anchorOf, faultsOf, withLinkType } from './tenant-link.js';

describe('the anchor of a link', () => {
  it.each([
    ['/01/9520123450014', '/01/09520123450014'],
    ['https://id.gs1.org/01/09520123450014', '/01/09520123450014'],
    ['https://brand.example/01/09520123450014/10/A%2f1', '/01/09520123450014/10/A%2F1'],
    ['/01/09520123450014/10/A1/21/S9', '/01/09520123450014/21/S9'],
    ['/AQnYUc1gmiCNV4JG', '/01/05412345000013/10/ABC123'],
    ['/414/9520000100018/254/dock', '/414/9520000100018/254/dock'],
  ])('%s is %s', (text, path) => {
    expect(anchorOf(text)).toBe(path);
  });

  it.each([
    '',
    '/',
    'https://id.gs1.org',
    '/p/ab',
    '/01/09520123450015',
    '/01/09520123450014?17=261231',
    '/01/09520123450014#a',
    '01/09520123450014x',
  ])('%j is none', (text) => {
    expect(anchorOf(text)).toMatchObject({ pointer: '/anchor', code: 'not_a_digital_link' });
  });
});

describe('the words of a link', () => {
  it.each([
    'javascript:alert(1)',
    'https://a@b.example/',
    'https://:x@b.example/',
    '/p/ab',
    'ftp://a.example/',
    'https://a.example/\r\nx',
    'https://é.example/',
    'https://a b/',
  ])('have no target %j', (href) => {
    expect(faultsOf({ href })).toMatchObject([{ pointer: '/href', code: 'not_a_target' }]);
  });

  it.each(['gs1:instructions', 'instructions', 'https://ref.gs1.org/voc/instructions'])('have the link type %s', (linkType) => {
    const named = withLinkType({ linkType });
    expect([named, faultsOf(named)]).toEqual([{ linkType: 'instructions' }, []]);
  });

  it.each(['gs1:recalStatus', 'gs1:defaultLink', 'gs1:handledBy', 'schema:url', 'https://schema.org/url', ''])(
    'have no link type %j',
    (linkType) => {
      expect(faultsOf(withLinkType({ linkType }))).toMatchObject([{ pointer: '/linkType', code: 'unknown_link_type' }]);
    },
  );

  it('may be absent', () => {
    expect([faultsOf({}), withLinkType({})]).toEqual([[], {}]);
  });
});
