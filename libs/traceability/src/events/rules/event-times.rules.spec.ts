import { describe, expect, it } from '@jest/globals';
import { contextOf, processOf, templateMap } from '../../testing/scenario.js';
import { readMetadata } from '../../process-maps/event-reading.js';
import { dateIssues } from './event-times.rules.js';
import { kdeIssues, scoreKdes } from './event-soft.rules.js';

const greens = templateMap('leafy-greens');
const rice = templateMap('rice');

function saidOf(map: typeof greens, processType: string, dates: object): string[] {
  const { published } = contextOf({ published: processOf(map, processType) });
  const metadata = { eventTime: '2026-11-20T12:00:00Z', eventTimeZoneOffset: '-08:00', ...dates };
  return dateIssues(published!, readMetadata(metadata, published!.process, []), metadata).map(({ code, pointer }) => `${code} ${pointer}`);
}

describe('the dates of an event', () => {
  it('are near the event, before and after', () => {
    expect(saidOf(greens, 'GREENS_HARVESTING', { harvestedOn: '2026-11-13' })).toEqual([]);
    expect(saidOf(greens, 'GREENS_HARVESTING', { harvestedOn: '2026-11-01' })).toEqual(['date_before_event /metadata/harvestedOn']);
    expect(saidOf(greens, 'GREENS_HARVESTING', { harvestedOn: '2026-11-22' })).toEqual(['date_after_event /metadata/harvestedOn']);
    expect(saidOf(greens, 'GREENS_TRANSFORMATION', { completedOn: '2026-10-20', bestBefore: '2026-12-01' })).toEqual([
      'date_before_event /metadata/completedOn',
    ]);
  });

  it('may be long ago where they are those of an input', () => {
    expect(
      saidOf(greens, 'GREENS_INITIAL_PACKING', { harvestedOn: '2026-08-01', receivedOn: '2026-09-01', packedOn: '2026-11-20' }),
    ).toEqual([]);
    expect(saidOf(greens, 'GREENS_INITIAL_PACKING', { harvestedOn: '2026-11-25' })).toEqual(['date_after_event /metadata/harvestedOn']);
  });

  it('do not let goods expire before they are made', () => {
    for (const bestBefore of ['2026-11-19', '2026-11-01', '1999-01-01'])
      expect(saidOf(rice, 'RICE_PACKING', { packedOn: '2026-11-20', bestBefore })).toEqual(['expiry_before_event /metadata/bestBefore']);
    for (const bestBefore of ['2026-11-20', '2027-11-20', 'soon', 7])
      expect(saidOf(rice, 'RICE_PACKING', { packedOn: '2026-11-20', bestBefore })).toEqual([]);
  });
});

describe('key data elements', () => {
  const shipping = processOf(greens, 'GREENS_SHIPPING');
  const source = { name: 'Packer', country: 'US', gln: '9520000100025' };

  it('are there if one of a choice is: a lot code source, or a reference to it (21 CFR 1.1340(a)(7))', () => {
    const missing = (metadata: object) => scoreKdes(shipping, metadata).missing.filter((place) => place.includes('tlcSource'));
    expect(missing({})).toEqual(['/tlcSource or /tlcSourceReference']);
    expect(missing({ tlcSource: source })).toEqual([]);
    expect(missing({ tlcSourceReference: 'https://tlc.example/1' })).toEqual([]);
    expect(kdeIssues(shipping, {}).find(({ pointer }) => pointer === '/metadata/tlcSource')?.message).toBe(
      'Lot code source, or its reference is missing (here or at /tlcSourceReference): a required key data element (21 CFR 1.1340(a)(7))',
    );
  });

  it('of an input are asked for where the input was made, and optional ones of nobody', () => {
    const places = kdeIssues(processOf(greens, 'GREENS_INITIAL_PACKING'), {}).map(({ pointer }) => pointer);
    expect(places).toEqual(
      ['/productDescription', '/quantity', '/location', '/packedOn', '/documents/0/number'].map((at) => `/metadata${at}`),
    );
    expect(scoreKdes(processOf(greens, 'GREENS_HARVESTING'), {}).missing).toContain('/fieldName');
  });
});
