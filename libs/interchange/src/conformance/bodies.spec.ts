import { describe, expect, it } from '@jest/globals';
import { eventsOfBody } from './bodies.js';

const context = 'https://ref.gs1.org/standards/epcis/epcis-context.jsonld';
const event = { type: 'ObjectEvent' };

describe('the events of a body', () => {
  it.each([
    ['a document', { type: 'EPCISDocument', epcisBody: { eventList: [event, event] } }, 2, '/epcisBody/eventList/1'],
    ['a document with one event', { type: 'EPCISDocument', epcisBody: { event } }, 1, '/epcisBody/event'],
    [
      'the results of a query',
      { type: 'EPCISQueryDocument', epcisBody: { queryResults: { resultsBody: { eventList: [event, event] } } } },
      2,
      '/epcisBody/queryResults/resultsBody/eventList/1',
    ],
    ['one event', event, 1, ''],
  ])('are those of %s, each with its pointer', (_, body, count, pointer) => {
    const read = eventsOfBody({ '@context': context, ...body });
    expect(read).toMatchObject({ faults: [], events: Array.from({ length: count }, () => event) });
    expect(read.pointer(count - 1)).toBe(pointer);
  });

  it.each([
    [{ type: 'Document', epcisBody: { eventList: [] } }, ['/type']],
    [{ type: 'EPCISQueryDocument', epcisBody: {} }, ['/epcisBody/queryResults/resultsBody']],
    [{ type: 'EPCISDocument', epcisBody: { eventList: {} } }, ['/epcisBody/eventList']],
    [{ type: 'EPCISDocument', epcisBody: [] }, ['/epcisBody']],
  ])('of %j: faults at %j', (body, pointers) => {
    const { faults, events } = eventsOfBody({ '@context': context, ...body });
    expect([faults.map(({ pointer }) => pointer), events]).toEqual([pointers, []]);
  });
});
