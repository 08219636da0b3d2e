import { readFileSync, readdirSync } from 'node:fs';
import { type Json, documentXml, eventHashId, eventsOfBody, preHash, readAndWrite, readEpcisXml } from '#interchange/testing';
import type { Check, Suite } from './check.js';

const read = <T = Json>(file: URL): T => JSON.parse(readFileSync(file, 'utf8')) as T;

type IsOther = (path: string) => boolean;

/** Documents below a folder, without those that another suite reads. */
function documentsIn(folder: URL, isOther: IsOther = () => false, ending = /\.json(ld)?$/): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => ending.test(path) && !isOther(path))
    .toSorted();
}

const at = (folder: URL, path: string): URL => new URL(encodeURIComponent(path).replaceAll('%2F', '/'), folder);

type Reading = ReturnType<typeof readAndWrite>;

/** It was read without a fault, and what was written from it has the same hashes. */
async function sameHashes(came: Reading, write: (document: Json) => Json | Promise<Json>): Promise<string | null> {
  if (came.faults.length > 0) return `refused at ${came.faults.join(', ')}`;
  if (came.hashes.length === 0) return 'has no events';
  const again = readAndWrite(await write(came.written));
  if (again.faults.length > 0) return `written with faults at ${again.faults.join(', ')}`;
  const changed = came.hashes.flatMap((hash, i) => (hash !== null && hash === again.hashes[i] ? [] : [i]));
  return changed.length === 0 ? null : `other hashes of the events ${changed.join(', ')}`;
}

/** It is read without a fault, and its events go out with the hashes that they came with. */
const roundTrips = (folder: URL, path: string): Check => ({
  name: path,
  run: () => sameHashes(readAndWrite(read(at(folder, path))), (written) => written),
});

const documents =
  (isOther?: IsOther) =>
  (folder: URL): readonly Check[] =>
    documentsIn(folder, isOther).map((path) => roundTrips(folder, path));

const throughXml =
  (version: '1.2' | '2.0') =>
  (written: Json): Promise<Json> => {
    const { events } = eventsOfBody(written);
    const about = { version, createdAt: '2026-11-28T00:00:00Z', terms: 'https://trace.example/ns/trc#', queryName: null };
    return readEpcisXml(Buffer.from(documentXml(events as Json[], about)));
  };

/** Written in XML and read again, every event of a document in JSON has the hash that it came with. */
const writtenInXml =
  (version: '1.2' | '2.0', isOther?: IsOther) =>
  (folder: URL): readonly Check[] =>
    documentsIn(folder, isOther).map((path) => ({
      name: path,
      run: () => sameHashes(readAndWrite(read(at(folder, path))), throughXml(version)),
    }));

/** Read from XML, its events have the same hashes in JSON, and in XML of both versions. */
const documentsInXml = (folder: URL): readonly Check[] =>
  documentsIn(folder, undefined, /\.xml$/).map((path) => ({
    name: path,
    run: async () => {
      const came = readAndWrite(await readEpcisXml(readFileSync(at(folder, path))));
      for (const write of [(written: Json) => written, throughXml('1.2'), throughXml('2.0')]) {
        const why = await sameHashes(came, write);
        if (why !== null) return why;
      }
      return null;
    },
  }));

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
  ...(['2.0', '1.2'] as const).map((version) => ({
    name: `EPCIS ${version} in XML: the same documents`,
    source: 'all of the above, written in XML and read again',
    data: 'epcis/',
    checks: writtenInXml(version, (path) => isVector(path) || path in INVALID),
  })),
  {
    name: 'EPCIS in XML: examples of GS1',
    source: 'github.com/gs1/EPCIS, XML',
    data: 'epcis/gs1-xml/',
    checks: documentsInXml,
  },
  {
    name: 'EPCIS in XML: documents of OpenEPCIS',
    source: 'github.com/openepcis/openepcis-test-resources, versions 1.2 and 2.0',
    data: 'epcis/openepcis-xml/',
    checks: documentsInXml,
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
