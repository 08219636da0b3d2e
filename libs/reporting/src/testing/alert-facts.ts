import type { EventFacts } from '../alerts/rules/event.rules.js';
import type { LotFacts } from '../alerts/rules/lot.rules.js';
import type { MapRules, RuleContext } from '../alerts/rules/rule.js';
import { DEFAULT_THRESHOLDS } from '../alerts/rules/thresholds.js';

/** The parts of the rice template that alerts use. */
export const RICE: MapRules = {
  chainOfCustody: 'segregated',
  lateAfterSeconds: 24 * 3_600,
  custodyAcceptWithinSeconds: 72 * 3_600,
  expiringSoonWithinSeconds: 30 * 86_400,
  assetTypes: new Map([
    ['RICE_MILLED', { name: 'Milled rice, bulk', category: 'intermediate', massPerUnitKg: null }],
    ['RICE_PACKED_5KG', { name: 'Milled rice, 5 kg bag', category: 'finished_good', massPerUnitKg: 5 }],
  ]),
  processes: new Map([
    [
      'RICE_PACKING',
      {
        label: 'Pack rice',
        kdes: [
          { path: '/packedOn', name: 'Date of packing', level: 'required', ref: '21 CFR 1.1330' },
          { path: '/gtin', name: 'Product', level: 'required', ref: null },
          { path: '/packaging/material', name: 'Packaging', level: 'recommended', ref: null },
        ],
        requiredDocuments: ['BATCH_LOG', 'TEST_REPORT'],
      },
    ],
  ]),
};

export const contextAt = (now: string, maps: Readonly<Record<string, MapRules>> = { rice: RICE, 'rice@1.0.0': RICE }): RuleContext => ({
  now: new Date(now),
  thresholds: DEFAULT_THRESHOLDS,
  maps: new Map(Object.entries(maps)),
  storeIsShared: false,
});

/** The bags of the rice scenario after packing. */
export const bags = (changes: Partial<LotFacts> = {}): LotFacts => ({
  tokenId: 8n,
  tlc: 'RP262641',
  assetType: 'RICE_PACKED_5KG',
  assetTypeName: 'Milled rice, 5 kg bag',
  mapName: 'rice',
  mapVersion: '1.0.0',
  status: 'active',
  uom: 'H87',
  quantity: 1_400,
  remaining: 1_400,
  usedUp: false,
  isContainer: false,
  // bestBefore 2028-03-21, at the end of the day at +07:00.
  expiresAt: new Date('2028-03-21T16:59:59Z'),
  retiredAt: null,
  recalledAt: null,
  recallAffected: false,
  recallClass: null,
  used: 0,
  custodian: '0x52908400098527886E0F7030069857D2E4169EE7',
  custodianLabel: 'Example Distributor',
  orgIds: ['dist'],
  ...changes,
});

/** The packing event of the rice scenario: 7004 kg in, 1400 bags of 5 kg out, 4 kg spilled. */
export const packing = (changes: Partial<EventFacts> = {}): EventFacts => ({
  id: '9f1c0a52-7a31-4c84-8f0e-5d2b3a6f1b7a',
  processType: 'RICE_PACKING',
  processLabel: 'Pack rice',
  kind: 'transformation',
  mapName: 'rice',
  mapVersion: '1.0.0',
  eventTime: new Date('2026-09-21T06:00:00Z'),
  recordTime: new Date('2026-09-21T06:10:00Z'),
  outputTlc: 'RP262641',
  orgIds: ['mill'],
  metadata: { packedOn: '2026-09-21', gtin: '09520123450014', packaging: { material: 'PP woven' } },
  documents: [{ type: 'BATCH_LOG' }, { type: 'TEST_REPORT' }],
  country: 'VN',
  calldataMismatch: false,
  foreignSender: null,
  resolved: true,
  contentVersion: 2,
  inputs: [
    { tokenId: 4n, tlc: 'RM-20260920-01', resolved: true, mapName: 'rice', madeAt: new Date('2026-09-20T15:00:00Z'), usedKg: 7_004 },
  ],
  outputs: 1,
  inputKg: 7_004,
  mainOutputKg: 7_000,
  coProductKg: 0,
  declaredLossKg: 4,
  gapKg: 0,
  gapRatio: 0,
  massTolerance: 0.02,
  balanceOutside: false,
  yield: 0.999429,
  yieldMin: 0.97,
  yieldMax: 1,
  yieldOutside: false,
  origins: null,
  ...changes,
});
