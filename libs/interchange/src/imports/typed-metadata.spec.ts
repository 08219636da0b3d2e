import { describe, expect, it } from '@jest/globals';
import { typedMetadata } from './typed-metadata.js';

describe('metadata from XML', () => {
  const fields = [
    { pointer: '/metadata/moisture', type: 'number' },
    { pointer: '/metadata/organic', type: 'boolean' },
    { pointer: '/metadata/code', type: 'string' },
    { pointer: '/metadata/documents/0/number', type: 'string' },
    { pointer: '/metadata/losses/0/quantity/value', type: 'number' },
  ] as const;

  it('has numbers, truth values and lists where the process wants them', () => {
    const read = { moisture: '22.5', organic: 'true', code: '007', documents: { number: '1' }, losses: [{ quantity: { value: '3' } }] };
    expect(typedMetadata(read, fields)).toEqual({
      ...{ moisture: 22.5, organic: true, code: '007', documents: [{ number: '1' }] },
      losses: [{ quantity: { value: 3 } }],
    });
  });

  it('keeps what is no such value, for the process to refuse', () => {
    const read = { moisture: '22,5', organic: 'yes', losses: { quantity: { value: '1e3' } }, other: '5' };
    expect(typedMetadata(read, fields)).toEqual({ ...read, losses: [read.losses] });
    const place = { geo: { type: 'Point', coordinates: ['105.7', '-10'] } };
    expect(typedMetadata({ place }, fields)).toEqual({ place: { geo: { type: 'Point', coordinates: [105.7, -10] } } });
    expect(typedMetadata({ moisture: '12345678901234567890' }, fields)).toEqual({ moisture: '12345678901234567890' });
  });
});
