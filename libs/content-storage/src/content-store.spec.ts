import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { CID } from 'multiformats/cid';
import * as Digest from 'multiformats/hashes/digest';
import { addressOf, cidFromDataHash, digestOfCid, isContentCid } from './content-store.js';

describe('the address of content', () => {
  it('is the published one of "Hello world"', () => {
    expect(addressOf(Buffer.from('Hello world')).cid).toBe('bafkreide5semuafsnds3ugrvm6fbwuyw2ijpj43gwjdxemstjkfozi37hq');
  });

  it('is the one that the library of the field writes, there and back', () => {
    for (let i = 0; i < 500; i++) {
      const digest = createHash('sha256').update(String(i)).digest();
      const cid = CID.createV1(0x55, Digest.create(0x12, digest)).toString();
      expect(cidFromDataHash(`0x${digest.toString('hex')}`)).toBe(cid);
      expect(isContentCid(cid)).toBe(true);
      expect(digestOfCid(cid).equals(digest)).toBe(true);
    }
  });
});
