import { describe, expect, it } from '@jest/globals';
import { readTraceparent } from './open-tracing.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('a traceparent', () => {
  it('is read with its flag', () => {
    expect(readTraceparent(`00-${TRACE}-${SPAN}-01`)).toEqual({ traceId: TRACE, spanId: SPAN, sampled: true });
    expect(readTraceparent(`00-${TRACE}-${SPAN}-02`)).toEqual({ traceId: TRACE, spanId: SPAN, sampled: false });
  });

  it('of a later version is read by its beginning', () => {
    expect(readTraceparent(`cc-${TRACE}-${SPAN}-03-what-comes-later`)).toMatchObject({ traceId: TRACE, sampled: true });
  });

  it.each([
    undefined,
    '',
    ['00', TRACE],
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01\n`,
  ])('that is none is none: %j', (text) => {
    expect(readTraceparent(text)).toBeNull();
  });
});
