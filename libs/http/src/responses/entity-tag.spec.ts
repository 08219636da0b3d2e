import { describe, expect, it } from '@jest/globals';
import { contentTag, entityTag, expectedState, hasState } from './entity-tag.js';

describe('If-Match', () => {
  const now = { name: 'a' };
  const tag = entityTag(now);
  const refuses = (header: string | undefined): string | null => {
    try {
      expectedState(header).check(now);
      return null;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  it.each([undefined, '*', ' * ', tag, `"x", ${tag}`, `W/"x",${tag}`])('of %s lets the change through', (header) => {
    expect(refuses(header)).toBeNull();
  });
  it.each(['"x"', '"x", "y"', `W/${tag}`, '""'])('of %s refuses it', (header) => {
    expect(refuses(header)).toBe('precondition_failed');
  });
  it.each(['', 'x', 'W/x', `${tag} x`, '"x'])('of %s is malformed', (header) => {
    expect(refuses(header)).toBe('malformed_request');
  });
});

describe('If-None-Match', () => {
  const tag = contentTag('a');

  it.each([tag, `W/${tag}`, `"x", ${tag}`, '*', ' * '])('of %s is of a client that has it', (header) => {
    expect([hasState(header, tag), hasState(header, `W/${tag}`), hasState([header], tag)]).toEqual([true, true, true]);
  });
  it.each([undefined, '', '"x"', '"x","y"'])('of %s is not', (header) => {
    expect(hasState(header, tag)).toBe(false);
  });
});
