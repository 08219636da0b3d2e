import { describe, expect, it } from '@jest/globals';
import { readSought } from './search.rules.js';

const GTIN = '09520123450014';

describe('what somebody types into a search', () => {
  it('is a link of a lot with the hash of its key, whatever its host', () => {
    const [a, b] = ['https://id.gs1.org', 'http://x.example/shop'].map((host) => readSought(`${host}/01/${GTIN}/10/AB%2F1`));
    expect(a).toMatchObject({ kind: 'digital_link', gtin: GTIN, beginnings: ['AB/1', 'ab/1'] });
    expect(a!.keyHash).toBe(b!.keyHash);
  });

  it('is the same lot as the text below a bar code, and as a scanner sends it', () => {
    const link = readSought(`https://id.gs1.org/01/${GTIN}/10/RP1`);
    for (const text of [
      `(01)${GTIN}(10)RP1`,
      `(01) ${GTIN} (17) 280321 (10) RP1`,
      `01${GTIN}1728032110RP1`,
      `]C101${GTIN}10RP1\u001d17280321`,
    ])
      expect([text, readSought(text).keyHash]).toEqual([text, link.keyHash]);
  });

  it('is an SSCC, a GTIN or a text', () => {
    expect(readSought('095200000000000011').kind).toBe('sscc');
    expect(readSought('(00)095200000000000011').keyHash).toBe(readSought('0952 0000 0000 0000 11').keyHash);
    expect(readSought('9520123450014')).toMatchObject({ kind: 'gtin', gtin: GTIN });
    expect(readSought(`https://x.example/01/${GTIN}`)).toMatchObject({ kind: 'gtin', gtin: GTIN });
    expect(readSought('9520123450015')).toMatchObject({ kind: 'text', gtin: null });
    expect(readSought('Rm-1')).toEqual({
      ...{ kind: 'text', keyHash: null, gtin: null, address: null },
      ...{ beginnings: ['Rm-1', 'RM-1', 'rm-1'], folded: 'rm-1', part: 'rm-1' },
    });
    expect(readSought('x').part).toBeNull();
  });

  it('is no lot where its elements are broken', () => {
    for (const text of ['(01)123(10)A', `(01)${GTIN}`, `01${GTIN}99xyz`, '(00)123'])
      expect([text, readSought(text).keyHash]).toEqual([text, null]);
  });
});
