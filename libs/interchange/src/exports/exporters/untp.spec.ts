import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { carbonOf, dossierOf, exportedLot, harvested } from '../../testing/dossiers.js';
import { UNTP_EVENTS, UNTP_PASSPORT } from '../../testing/untp-schemas.js';
import type { HistoryEntry } from '../dossier.js';
import { exporter as passport } from './untp-dpp.js';
import { exporter as events } from './untp-dte.js';

type Json = Record<string, any>;
const ajv = new Ajv2020({ strict: false, allErrors: true });
const faultsOf = (schema: object, document: Json): string[] => {
  const check = ajv.compile(schema);
  check(document);
  return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`);
};

const kumasi = { country: 'GH', name: 'Kumasi', gln: '9520000100018' };
const recorded = (location: object | null = kumasi): HistoryEntry => {
  const entry = harvested(1, {}, location);
  const onChain = { txHash: '0x1', dataHash: `0x${'ab'.repeat(32)}`, ipfsCid: 'b', documents: [], recordTime: '2026-11-01T00:00:00.000Z' };
  const event = { ...entry.account.event, id: '00000000-0000-4000-8000-0000000000e1', kind: 'creation', ...onChain };
  return { ...entry, account: { ...entry.account, event } };
};
const dossier = (history: readonly HistoryEntry[] = [recorded()], more: object = {}, carbon: object = {}) =>
  dossierOf(history, [exportedLot(1, more)], carbonOf(carbon));
const missing = (...pointers: string[]): unknown =>
  expect.objectContaining({
    code: 'export_data_missing',
    details: { errors: pointers.map((pointer) => expect.objectContaining({ pointer })) },
  });

describe('a UNTP passport', () => {
  const written = (...given: Parameters<typeof dossier>): Json => JSON.parse(passport.write(dossier(...given))) as Json;

  it('has the members of version 0.7.0, and names that version', () => {
    expect(faultsOf(UNTP_PASSPORT, written())).toEqual([]);
    expect(faultsOf(UNTP_PASSPORT, written(undefined, { gtin: '09520123450014', expiresAt: '2027-01-01T00:00:00.000Z' }))).toEqual([]);
    expect(passport.mediaType).toBe('application/json; profile="untp-dpp/0.7.0"');
  });

  it('is issued by a DID: its own, else one below the address of the service', () => {
    const own = { ...recorded(), party: { ...recorded().party!, did: 'did:web:kuapa.example', gln: '9520000100018', lei: null } };
    expect(written([own])['issuer']).toMatchObject({
      id: 'did:web:kuapa.example',
      issuerAlsoKnownAs: [{ id: 'https://id.gs1.org/417/9520000100018', registeredId: '9520000100018' }],
    });
    expect(written()['issuer'].id).toBe('did:web:trace.example:demo:00000000-0000-4000-8000-0000000000a1');
    const naming = { base: 'http://127.0.0.1:3000', tenant: 'demo' };
    const local = JSON.parse(passport.write({ ...dossier(), naming })) as Json;
    expect(local['issuer'].id).toBe('did:web:127.0.0.1%3A3000:demo:00000000-0000-4000-8000-0000000000a1');
  });

  it('states no footprint that is a lower bound, which it has no word for', () => {
    expect(written()['credentialSubject'].performanceClaim[0]).toMatchObject({
      claimedPerformance: [{ measure: { value: 2, unit: 'KGM' } }],
      description: expect.stringMatching(/50 % of it is from primary data/),
    });
    expect(written(undefined, {}, { lowerBound: true })['credentialSubject']).not.toHaveProperty('performanceClaim');
  });

  it('tells the day and the country of production, and where the evidence is', () => {
    expect(written()['credentialSubject']).toMatchObject({
      productionDate: '2026-11-01',
      countryOfProduction: { countryCode: 'GH' },
      relatedDocument: [{ digestMultibase: `u${Buffer.from(`1220${'ab'.repeat(32)}`, 'hex').toString('base64url')}` }],
    });
  });

  it('is refused where the version requires what nobody recorded', () => {
    expect(() => written([recorded(null)], { hsCode: null })).toThrow(
      missing('/credentialSubject/productCategory', '/credentialSubject/producedAtFacility', '/credentialSubject/countryOfProduction'),
    );
  });
});

describe('UNTP traceability events', () => {
  const written = (history: readonly HistoryEntry[]): Json => JSON.parse(events.write(dossier(history))) as Json;
  const change = (entry: HistoryEntry, of: object): HistoryEntry => ({
    ...entry,
    account: { ...entry.account, event: { ...entry.account.event, ...of } },
  });

  it('make, move and change lots, as version 0.7.0 has them', () => {
    const line = { tokenId: 1, tlc: 'C-1', assetType: 'cocoa', quantity: 10, uom: 'KGM' };
    const destination = { name: 'Port', gln: '9520000100025' };
    const moved = change(recorded(), { kind: 'transfer', inputs: [line], outputs: [], metadata: { destination } });
    const seen = change(recorded(), { kind: 'observation', inputs: [line], outputs: [] });
    const document = written([recorded(), moved, seen]);
    expect(faultsOf(UNTP_EVENTS, document)).toEqual([]);
    expect((document['credentialSubject'] as Json[]).map(({ type }) => type[0] as string)).toEqual([
      'MakeEvent',
      'MoveEvent',
      'ModifyEvent',
    ]);
    expect(document['credentialSubject'][1]).toMatchObject({
      fromFacility: { name: 'Kumasi' },
      toFacility: { name: 'Port' },
      movedProduct: [{ quantity: { value: 10, unit: 'KGM' } }],
    });
  });

  it('are refused where a place is not known', () => {
    const line = { tokenId: 1, tlc: 'C-1', assetType: 'cocoa', quantity: 10, uom: 'KGM' };
    const moved = change(recorded(), { kind: 'transfer', inputs: [line], outputs: [] });
    expect(() => written([recorded(null), moved])).toThrow(
      missing('/credentialSubject/0/madeAtFacility', '/credentialSubject/1/toFacility'),
    );
  });
});
