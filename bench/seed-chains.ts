import type { Draw, Goods, Ledger, ProcessKind } from './seed-ledger.js';

/** A value chain that gives way after each event, so that many run side by side as they do in life. */
export type Chain = Generator<void, void, void>;

const KG = 'KGM';
const rice = (processType: string, makes: ProcessKind['makes'], more: Partial<ProcessKind> = {}): ProcessKind => ({
  map: 'rice',
  processType,
  makes,
  ...more,
});
const wool = (processType: string, makes: ProcessKind['makes'], more: Partial<ProcessKind> = {}): ProcessKind => ({
  map: 'wool',
  processType,
  makes,
  ...more,
});

export const HARVEST = rice('RICE_HARVESTING', [{ assetType: 'RICE_PADDY_WET', uom: KG, code: 'RH' }], { carbon: 9600 });
export const DRY = rice('RICE_DRYING', [{ assetType: 'RICE_PADDY_DRY', uom: KG, code: 'RD' }], { carbon: 320 });
export const MILL = rice(
  'RICE_MILLING',
  [
    { assetType: 'RICE_MILLED', uom: KG, code: 'RM' },
    { assetType: 'RICE_BROKEN', uom: KG, code: 'RB' },
    { assetType: 'RICE_BRAN', uom: KG, code: 'RN' },
    { assetType: 'RICE_HUSK', uom: KG, code: 'RU' },
  ],
  { carbon: 210 },
);
export const PACK = rice('RICE_PACKING', [{ assetType: 'RICE_PACKED_5KG', uom: 'H87', code: 'RP' }], { carbon: 40 });
const PALLETISE = rice('RICE_PALLETIZING', [{ assetType: 'RICE_PALLET', uom: 'XPX', code: 'PL' }], { mode: 1 });
const DEPALLETISE = rice('RICE_DEPALLETIZING', [], { mode: 2 });
const SHEAR = wool('wool_shearing', [{ assetType: 'WOOL_GREASY', uom: KG, code: 'WG' }], { carbon: 5400 });
const CLASS = wool('wool_classing', [
  { assetType: 'WOOL_BALE', uom: KG, code: 'WB' },
  { assetType: 'WOOL_PIECES', uom: KG, code: 'WP' },
]);
const SCOUR = wool(
  'wool_scouring',
  [
    { assetType: 'WOOL_SCOURED', uom: KG, code: 'WS' },
    { assetType: 'WOOL_GREASE', uom: KG, code: 'WX' },
  ],
  { carbon: 800 },
);
const SPIN = wool('wool_spinning', [{ assetType: 'WOOL_YARN', uom: KG, code: 'WY' }], { carbon: 650 });
const WEAVE = wool('wool_weaving', [{ assetType: 'WOOL_FABRIC', uom: 'MTR', code: 'WF' }], { carbon: 500 });
const SEW = wool('wool_garment_making', [{ assetType: 'WOOL_GARMENT', uom: 'H87', code: 'WT' }], { carbon: 90 });

export const all = (of: Goods): Draw => ({ of, amount: of.left });
export const part = (of: Goods, amount: number): Draw => ({ of, amount });

const seconds = (date: string): bigint => BigInt(Date.parse(date) / 1000);
const EXPIRED = seconds('2026-10-01');
const FRESH = seconds('2028-03-01');

/** Harvests that are dried, commingled and milled into four, packed, palletised, sold on; 42 lots and 70 edges. */
export function* riceSeason(ledger: Ledger): Chain {
  const { dice } = ledger;
  const [farm, mill, shop] = [ledger.company(dice.below(64)), ledger.company(0), ledger.company(dice.below(64))];
  const dried: Goods[] = [];
  for (let i = 0; i < 6; i++) {
    const [paddy] = ledger.record(HARVEST, farm, [], [8000]);
    yield;
    dried.push(...ledger.record(DRY, farm, [all(paddy!)], [6900]));
    yield;
  }
  ledger.handOver(dried, farm, mill);
  yield;
  for (const half of [dried.slice(0, 3), dried.slice(3)]) {
    const [milled] = ledger.record(MILL, mill, half.map(all), [13_400, 2100, 1700, 3500]);
    yield;
    const packs: Goods[] = [];
    for (let i = 0; i < 10; i++) {
      packs.push(...ledger.record(PACK, mill, [part(milled!, 1340)], [268], dice.next() < 0.1 ? EXPIRED : FRESH));
      yield;
    }
    const [pallet] = ledger.record(PALLETISE, mill, packs.map(all), [1]);
    yield;
    ledger.handOver([pallet!], mill, shop);
    yield;
    if (dice.next() < 0.5) ledger.record(DEPALLETISE, shop, [all(pallet!)], []);
    if (dice.next() < 0.01) ledger.recall(packs[0]!, ledger.company(0));
    yield;
  }
}

/** Wool from shearing to garments, wound again and again on its way: deep; 40 lots and 44 edges. */
export function* woolLine(ledger: Ledger): Chain {
  const by = ledger.company(ledger.dice.below(64));
  const fleeces: Goods[] = [];
  for (let i = 0; i < 3; i++) {
    fleeces.push(...ledger.record(SHEAR, by, [], [900]));
    yield;
  }
  const classed = ledger.record(CLASS, by, fleeces.map(all), [2200, 400]);
  yield;
  // Bale and pieces come together again: a diamond.
  const [scoured] = ledger.record(SCOUR, by, classed.map(all), [1600, 300]);
  yield;
  let [yarn] = ledger.record(SPIN, by, [all(scoured!)], [1500]);
  for (let i = 0; i < 25; i++) {
    yield;
    [yarn] = ledger.record(SPIN, by, [all(yarn!)], [yarn!.left - 4]);
  }
  yield;
  const [fabric] = ledger.record(WEAVE, by, [all(yarn!)], [3600]);
  yield;
  for (let i = 0; i < 6; i++) {
    ledger.record(SEW, by, [part(fabric!, 600)], [400]);
    yield;
  }
}

/** One milled lot that is packed into many at once; 107 lots and 106 edges. */
export function* wideSplit(ledger: Ledger): Chain {
  const by = ledger.company(ledger.dice.below(64));
  const [paddy] = ledger.record(HARVEST, by, [], [60_000]);
  yield;
  const [dry] = ledger.record(DRY, by, [all(paddy!)], [52_000]);
  yield;
  const [milled] = ledger.record(MILL, by, [all(dry!)], [34_000, 5000, 4200, 8800]);
  yield;
  ledger.record(
    PACK,
    by,
    [all(milled!)],
    Array.from({ length: 101 }, () => 67),
    FRESH,
  );
  yield;
}
