import type { EventAccount, TreeFootprint } from '../contract.js';
import { type Dossier, type ExportedLot, type HistoryEntry, mintsOf } from '../exports/dossier.js';

/** Dossiers of cocoa from Ghana, for specs of exporters. */
export const exportedLot = (tokenId: number, more: Partial<ExportedLot> = {}): ExportedLot => ({
  id: `00000000-0000-5000-8000-00000000000${tokenId}`,
  tokenId,
  tlc: `C-${tokenId}`,
  key: `C-${tokenId}`,
  gtin: null,
  serial: null,
  isContainer: false,
  assetType: 'cocoa',
  name: 'Cocoa beans',
  hsCode: '1801.00',
  quantity: '1000',
  uom: 'KGM',
  massKg: 1000,
  createdAt: '2026-11-01T00:00:00.000Z',
  expiresAt: null,
  retireReason: null,
  ...more,
});

export const harvested = (
  tokenId: number,
  metadata: object,
  location: object | null = { country: 'GH', name: 'Kumasi' },
): HistoryEntry => ({
  account: {
    event: {
      id: `e${tokenId}`,
      processType: 'HARVEST',
      inputs: [],
      outputs: [{ tokenId, tlc: `C-${tokenId}`, assetType: 'cocoa', quantity: 1000, uom: 'KGM' }],
      eventTime: '2026-10-31T23:30:00.000Z',
      eventTimeZoneOffset: '+07:00',
      location,
      metadata,
      dataHash: null,
      txHash: null,
      ipfsCid: null,
      actor: { address: null, did: null, orgId: 'o1' },
    },
    deedOrgId: 'o1',
    process: { bizStep: null, disposition: null, action: null, fields: {} },
    lots: [],
    contents: [],
  } as unknown as EventAccount,
  label: 'Harvest',
  allocation: null,
  party: { orgId: '00000000-0000-4000-8000-0000000000a1', name: 'Kuapa', did: null, lei: null, gln: null },
});

export const dossierOf = (
  history: readonly HistoryEntry[],
  lots: readonly ExportedLot[] = [exportedLot(1)],
  footprint: object | null = null,
): Dossier => ({
  lot: lots[0]!,
  naming: { base: 'https://trace.example', tenant: 'demo' },
  at: new Date('2026-11-28T00:00:00Z'),
  documentId: '00000000-0000-4000-8000-000000000000',
  history,
  mints: mintsOf(history),
  lots: new Map(lots.map((one) => [one.tokenId, one])),
  shares: new Map(),
  footprint: footprint as TreeFootprint | null,
});

/** 2 kg of CO2e per kg, everything declared. @param more other figures of the indicator */
export const carbonOf = (more: object = {}) => ({
  basis: { massKg: 1000, remainingKg: 1000, quantity: 1000, remaining: 1000, uom: 'KGM' },
  tlc: 'C-1',
  indicators: {
    carbon: {
      total: 2000,
      perKg: 2,
      perUnit: 2,
      lowerBound: false,
      coverage: { mass: 1 },
      primaryDataShare: 50,
      byProcess: { HARVEST: 2000 },
      byCountry: { GH: 2000 },
      missing: [],
      breakdown: { fossil: 500, biogenic: 1400, landUseChange: 100, biogenicUptake: -3000 },
      ...more,
    },
  },
  method: { gwp: ['AR6'], standards: ['ISO14067', 'house rules'] },
});
