import { describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { ConnectionCredentials } from './access.guard.js';

describe('the credential of a connection', () => {
  const [credentials, one, other] = [new ConnectionCredentials(), {}, {}];
  const sent = (socket: object, headers: object): ReturnType<ConnectionCredentials['of']> =>
    credentials.of({ raw: { socket, headers } } as FastifyRequest);
  const bearer = (text: string): object => ({ authorization: `Bearer ${text}` });

  it('is recognised on its connection, and is the same on another', () => {
    const first = sent(one, bearer('a'));
    expect(first).toMatchObject({ kind: 'bearer', text: 'a' });
    expect(sent(one, bearer('a'))).toBe(first);
    expect(sent(other, bearer('a'))).toEqual(first);
  });

  it('is another as soon as another is sent, as a proxy does that shares a connection', () => {
    const [a, b, again] = [sent(one, bearer('a')), sent(one, bearer('b')), sent(one, bearer('a'))];
    expect(b.hash).not.toBe(a.hash);
    expect(again.hash).toBe(a.hash);
  });

  it('is no bearer where it is a key, though the text be the same', () => {
    const key = sent(one, { 'x-api-key': 'Bearer a' });
    expect(sent(one, { authorization: 'Bearer a' })).toMatchObject({ kind: 'bearer', text: 'a' });
    expect(key).toMatchObject({ kind: 'api_key', text: 'Bearer a' });
    expect(sent(one, { 'x-api-key': 'a' }).hash).not.toBe(sent(one, bearer('a')).hash);
  });

  it.each<[string, object, number]>([
    ['none', {}, 401],
    ['an empty one', { authorization: '' }, 401],
    ['another scheme', { authorization: 'Basic YTpi' }, 401],
    ['two', { authorization: 'Bearer a', 'x-api-key': 'a' }, 400],
  ])('refuses %s, on a connection that had a good one as well', (_, headers, status) => {
    sent(one, bearer('a'));
    for (const socket of [one, {}]) expect(() => sent(socket, headers)).toThrow(expect.objectContaining({ status }));
  });
});
