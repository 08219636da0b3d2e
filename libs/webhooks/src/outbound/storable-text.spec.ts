import { describe, expect, it } from '@jest/globals';
import { storableText } from './outbound.client.js';

describe('the text kept of an answer', () => {
  it('has no NUL, which PostgreSQL refuses', () => {
    expect(storableText(Buffer.from('a\0b'), 100)).toBe('a\uFFFDb');
  });
  it('is valid UTF-8 whatever came', () => {
    expect(storableText(Buffer.from([0x61, 0xff, 0xc0, 0x80]), 100)).toBe('a\uFFFD\uFFFD\uFFFD');
  });
  it('ends before a character that the limit cuts', () => {
    expect(storableText(Buffer.from('ab€'), 4)).toBe('ab');
  });
});
