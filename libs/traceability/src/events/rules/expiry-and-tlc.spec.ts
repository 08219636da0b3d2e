import { describe, expect, it } from '@jest/globals';
import { addressOf } from '#content-storage';
import { expiryOf, plus } from './event-times.rules.js';
import type { Process } from '../../process-maps/process-map.js';
import { isTlc } from './event-outputs.rules.js';
import { tlcTemplate } from './tlc-template.rules.js';

describe('an expiry', () => {
  it.each([
    ['2026-01-31T10:00:00Z', 'P1M', '2026-02-28T10:00:00.000Z'],
    ['2024-02-29T00:00:00Z', 'P1Y', '2025-02-28T00:00:00.000Z'],
    ['2026-09-21T00:00:00Z', 'P18M', '2028-03-21T00:00:00.000Z'],
    ['2026-09-21T00:00:00Z', 'P2W1DT1H', '2026-10-06T01:00:00.000Z'],
  ])('%s plus %s', (from, duration, at) => expect(plus(new Date(from), duration).toISOString()).toBe(at));

  const at = (expiry: Process['expiry'], metadata: object, inputs: readonly Date[] = []) => {
    const result = expiryOf({ expiry }, metadata, '+07:00', inputs);
    return [result.at?.toISOString() ?? null, result.capped];
  };
  const early = new Date('2026-12-01T00:00:00Z');

  it('lasts until the end of a stated day at the place of the event', () =>
    expect(at({ rule: 'pointer', from: '/bestBefore' }, { bestBefore: '2028-03-21' })).toEqual(['2028-03-21T16:59:59.000Z', false]));
  it('runs from a date, unless another is stated', () => {
    const rule = { rule: 'duration', from: '/packedOn', duration: 'P1M', override: '/bestBefore' } as const;
    expect(at(rule, { packedOn: '2026-01-31' })[0]).toBe('2026-02-28T16:59:59.000Z');
    expect(at(rule, { packedOn: '2026-01-31', bestBefore: '2027-01-01' })[0]).toBe('2027-01-01T16:59:59.000Z');
  });
  it('of a container is the earliest of its contents', () =>
    expect(at({ rule: 'inherit_min' }, {}, [new Date('2027-01-01T00:00:00Z'), early])).toEqual([early.toISOString(), false]));
  it('is not blessed by a fresh date', () =>
    expect(at({ rule: 'pointer', from: '/bestBefore', capByInputs: true }, { bestBefore: '2028-03-21' }, [early])).toEqual([
      early.toISOString(),
      true,
    ]));
});

describe('a code', () => {
  const code = (template: string, metadata: object, time = '2026-09-20T15:00:00Z', offset = '+07:00', pattern?: string) =>
    tlcTemplate({ template, pattern }, metadata, new Date(time), offset);

  it('is dated by the calendar at the place of the event', () => {
    expect(code('RM-{date}-{seq}', {}, '2026-09-20T18:00:00Z').code(1)).toBe('RM-20260921-01');
    expect(code('RP{yy}{doy}{line}', { line: 'a 1' }).code(0)).toBe('RP26263A1');
    expect(code('JK{yy}{week}{style}', { styleCode: 'A100' }, '2027-01-01T12:00:00Z').code(0)).toBe('JK2653A100');
  });
  it.each([
    ['RM-{date}-{seq}', undefined, 'RM-20260920-02', 'RM-20260920-100'],
    ['RH-{date}-{field}', undefined, 'RH-20260920-B1-2', 'RH-20260920-B1-100'],
    ['RH-{date}-{field}', '^RH-\\d{8}-[A-Z0-9]{2,5}$', 'RH-20260920-B1X2', 'RH-20260920-B1100'],
    ['RH-{date}-{field}', '^RH-\\d{8}-[A-Z0-9]{2,4}$', 'RH-20260920-B1X2', null],
  ])('of %s and the pattern %s counts', (template, pattern, second, hundredth) => {
    const made = code(template, { field: 'B1' }, undefined, undefined, pattern);
    expect([made.code(2), made.code(100)]).toEqual([second, hundredth]);
  });
  it('takes words from the metadata, and says which are missing', () => {
    expect(code('RH-{date}-{field}', { plot: { id: 'B1' } }).code(0)).toBe('RH-20260920-B1');
    expect(code('WS-{date}-{mob}', {}).missing).toEqual(['mob']);
    expect(code('{sscc}', { sscc: '095200000000000011' }).code(0)).toBe('095200000000000011');
  });
  it.each([
    ['A', true],
    ['a/b%+"', true],
    ['x'.repeat(64), true],
    ['x'.repeat(65), false],
    ['', false],
    ['ä', false],
    ['a b', false],
    ['a#b', false],
  ])('of GS1 character set 82: %s', (text, expected) => expect(isTlc(text)).toBe(expected));
});

it('the address of content is the published one', () =>
  expect(addressOf(Buffer.from('Hello world'))).toEqual({
    cid: 'bafkreide5semuafsnds3ugrvm6fbwuyw2ijpj43gwjdxemstjkfozi37hq',
    dataHash: '0x64ec88ca00b268e5ba1a35678a1b5316d212f4f366b2477232534a8aeca37f3c',
  }));
