import { readFileSync, readdirSync } from 'node:fs';
import { type Json, eventHashId, eventsOfBody, preHash, readAndWrite } from '#interchange/testing';
import type { Check, Suite } from './check.js';

const read = <T = Json>(file: URL): T => JSON.parse(readFileSync(file, 'utf8')) as T;

/** Documents below a folder, without those that another suite reads. */
function documentsIn(folder: URL, isOther: (path: string) => boolean = () => false): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.json(ld)?$/.test(path) && !isOther(path))
    .toSorted();
}

/** It is read without a fault, and its events go out with the hashes that they came with. */
const roundTrips = (folder: URL, path: string): Check => ({
  name: path,
  run: () => {
    const came = readAndWrite(read(new URL(encodeURIComponent(path).replaceAll('%2F', '/'), folder)));
    if (came.faults.length > 0) return `refused at ${came.faults.join(', ')}`;
    if (came.hashes.length === 0) return 'has no events';
    const again = readAndWrite(came.written);
    if (again.faults.length > 0) return `written with faults at ${again.faults.join(', ')}`;
    const changed = came.hashes.flatMap((hash, i) => (hash !== null && hash === again.hashes[i] ? [] : [i]));
    return changed.length === 0 ? null : `other hashes of the events ${changed.join(', ')}`;
  },
});

const documents =
  (isOther?: (path: string) => boolean) =>
  (folder: URL): readonly Check[] =>
    documentsIn(folder, isOther).map((path) => roundTrips(folder, path));

/** Where each document that is not valid is wrong. */
const INVALID: Readonly<Record<string, readonly string[]>> = {
  'openepcis-invalid-Combination_of_multiple_invalid_fields.json': [
    '/epcisBody/eventList/0/bizStep',
    '/epcisBody/eventList/1/disposition',
    '/epcisBody/eventList/2/sourceList/0/type',
    '/epcisBody/eventList/3/ilmd/materialType',
    '/epcisBody/eventList/4/eventTime',
    '/epcisBody/eventList/4/action',
  ],
};

const refusedAt = (folder: URL, path: string, pointers: readonly string[]): Check => ({
  name: path,
  run: () => {
    const { faults } = readAndWrite(read(new URL(path, folder)));
    return faults.join() === pointers.join() ? null : `refused at ${faults.join(', ')} instead of ${pointers.join(', ')}`;
  },
});

interface Vector {
  readonly document: Json;
  readonly preHash: string;
  readonly eventID: string;
}

const hashed = (file: URL): readonly Check[] => {
  const vector = read<Vector>(file);
  const { events, contexts } = eventsOfBody(vector.document);
  const equals = (name: string, expected: string, found: (event: Json) => string): Check => ({
    name,
    run: () => (found(events[0] as Json) === expected ? null : `is ${found(events[0] as Json)}`),
  });
  return [
    equals('pre-hash string', vector.preHash, (event) => preHash(event, contexts)),
    equals('event hash', vector.eventID, (event) => eventHashId(event, contexts)),
  ];
};

/** Of the folder itself, the documents that are in no folder of it. */
const isNested = (path: string): boolean => path.includes('/');
const isVector = (path: string): boolean => path === 'cbv2-event-hash-reference.json';

/** EPCIS 2.0 and CBV 2.0: what others write is read, and written with the same event hash. */
export const EPCIS_SUITES: readonly Suite[] = [
  {
    name: 'EPCIS 2.0: examples of GS1',
    source: 'github.com/gs1/EPCIS, JSON/Examples',
    data: 'epcis/gs1-examples/',
    checks: documents(),
  },
  {
    name: 'EPCIS 2.0: documents of OpenEPCIS',
    source: 'github.com/openepcis: documents, single events and results of queries',
    data: 'epcis/openepcis/',
    checks: documents(),
  },
  {
    name: 'EPCIS 2.0: documents of the field',
    source: 'FSMA 204, textiles, every GS1 key',
    data: 'epcis/',
    checks: documents((path) => isNested(path) || isVector(path) || path in INVALID),
  },
  {
    name: 'EPCIS 2.0: documents that are not valid',
    source: 'github.com/openepcis; each is refused at its faults and nowhere else',
    data: 'epcis/',
    checks: (folder) => Object.entries(INVALID).map(([path, pointers]) => refusedAt(folder, path, pointers)),
  },
  {
    name: 'CBV 2.0: event hash',
    source: 'reference vector of github.com/RalphTro/epcis-event-hash-generator',
    data: 'epcis/cbv2-event-hash-reference.json',
    checks: hashed,
  },
];
