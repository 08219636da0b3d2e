import { existsSync, readFileSync } from 'node:fs';
import { atPointer } from '#kernel';
import { beforeAll, describe, expect, it } from '@jest/globals';
import dataset from '@rdfjs/dataset';
import rdf from '@rdfjs/data-model';
import { Parser } from 'n3';
import { Validator } from 'shacl-engine';
import { DEFAULT_SETTING } from '../settings/passport-setting.js';
import { EXAMPLE_BATTERY, EXAMPLE_GARMENT } from '../testing/packs.js';
import { RICE, issued } from '../testing/rice.js';
import { buildDocument } from './dpp-document.rules.js';
import { nQuadsOf } from './n-quads.rules.js';
import { buildPassport } from './passport.rules.js';

const given = process.env['CONFORMANCE_DATA'];
const DATA = new URL('dpp-shapes/', given === undefined ? new URL('../../../../../../shared/data/', import.meta.url) : `file://${given}/`);
const hasShapes = existsSync(DATA);
if (!hasShapes) process.stderr.write(`!! No shapes in ${DATA.pathname}: passports are NOT held against SHACL.\n`);

type Json = Record<string, any>;
const template = (name: string): Json =>
  JSON.parse(readFileSync(new URL(`../../../traceability/src/templates/${name}.json`, import.meta.url), 'utf8')) as Json;

interface Pack {
  readonly map: string;
  readonly assetType: string;
  readonly process: string;
  readonly shapes: string;
  readonly metadata: Json;
}
const BATTERY: Pack = {
  ...{ map: 'battery', assetType: 'BATTERY_PACK', process: 'BATTERY_ASSEMBLY', shapes: 'eu.battery.item' },
  metadata: { serial: 'PACK-000001', battery: EXAMPLE_BATTERY },
};
const TEXTILE: Pack = {
  ...{ map: 'textile', assetType: 'TEXTILE_GARMENT', process: 'TEXTILE_MAKING', shapes: 'eu.textile' },
  metadata: { garment: EXAMPLE_GARMENT },
};

/** The N-Quads of what authorities read of goods with these metadata: the shapes ask for the status, which not everybody reads. */
function quadsOf({ map: name, assetType, process, metadata }: Pack): string {
  const map = template(name);
  const type = map['assetTypes'][assetType] as Json;
  const isItem = type['granularity'] === 'item';
  const link = `/01/${type['gtin']}/${isItem ? '21' : '10'}/PACK-000001`;
  const values = Object.fromEntries(
    Object.values(map['processes'][process].visibility as Record<string, string[]>)
      .flat()
      .map((pointer) => [pointer, atPointer({ ...metadata, gtin: type['gtin'] }, pointer)])
      .filter(([, value]) => value !== undefined),
  ) as Record<string, unknown>;
  const passport = issued({ gtin: type['gtin'], serial: isItem ? 'PACK-000001' : null, granularity: type['granularity'], link });
  const { dataElements, nodeTypes, contentSpecificationIds, gtin } = type as never;
  const lot = { ...RICE.lot, dataElements, nodeTypes, contentSpecificationIds, gtin, tlc: 'PACK-000001', serial: passport.serial };
  const facts = { ...RICE, lot, events: [{ ...RICE.events[0]!, values }] };
  const inputs = { facts, footprint: null, claimShare: null, setting: DEFAULT_SETTING, origin: 'https://id.example', today: '2026-11-30' };
  const document = buildDocument({ issued: passport, tenantId: 't', facts, passport: buildPassport({ ...inputs, issued: passport }) });
  return nQuadsOf({ ...document, lastUpdated: '2026-11-30T12:00:00.000Z' });
}

/** Paths that a shape finds at fault. */
async function faultsOf(pack: Pack): Promise<string[]> {
  const results = await validatorOf(pack.shapes)(quadsOf(pack));
  return results.map(({ path }) => (path?.[0]?.predicates[0]?.value ?? '').replace(/^.*[/#]/, '')).toSorted();
}

interface Result {
  readonly path?: readonly { readonly predicates: readonly { readonly value: string }[] }[];
}
const validators = new Map<string, (quads: string) => Promise<readonly Result[]>>();

function validatorOf(name: string): (quads: string) => Promise<readonly Result[]> {
  const known = validators.get(name);
  if (known) return known;
  const read = (file: string): string => readFileSync(new URL(`${name}/${file}`, DATA), 'utf8');
  const quads = (text: string) => new Parser({ factory: rdf }).parse(text);
  const factory = Object.assign(Object.create(rdf) as typeof rdf, { dataset: (all: never) => dataset.dataset(all) });
  const validator = new Validator(dataset.dataset(quads(read('shapes.ttl'))), { factory });
  // The classes of what a passport names, which shapes ask for.
  const background = quads(read('background.ttl'));
  const validate = async (text: string): Promise<readonly Result[]> => {
    const report = await validator.validate({ dataset: dataset.dataset([...background, ...quads(text)]) });
    return report.results as readonly Result[];
  };
  validators.set(name, validate);
  return validate;
}

const changed = (pack: Pack, change: (metadata: Json) => void): Pack => {
  const metadata = structuredClone(pack.metadata);
  change(metadata);
  return { ...pack, metadata };
};

(hasShapes ? describe : describe.skip)('passports of the packs, as N-Quads', () => {
  beforeAll(() => void validatorOf(BATTERY.shapes));

  it.each([BATTERY, TEXTILE])('of $map hold the shapes of their vocabulary', async (pack) => {
    expect(quadsOf(pack).split('\n').length).toBeGreaterThan(50);
    expect(await faultsOf(pack)).toEqual([]);
  });

  it.each<[string, Pack, (metadata: Json) => void, string]>([
    ['no model', BATTERY, ({ battery }) => delete battery.model, 'batteryModelIdentifier'],
    ['a voltage in amperes', BATTERY, ({ battery }) => (battery.specification.voltage.nominal.unitCode = 'AMP'), 'hasNominalVoltage'],
    ['an operator without a role', BATTERY, ({ battery }) => delete battery.operator.role, 'hasOperatorRole'],
    ['a footprint without a study', BATTERY, ({ battery }) => delete battery.carbonFootprint.study, 'carbonFootprintStudyUrl'],
    ['a capacity without a unit', BATTERY, ({ battery }) => delete battery.specification.ratedCapacity.unitCode, 'unitCode'],
    ['a fibre without its share', TEXTILE, ({ garment }) => delete garment.fibres[0].percent, 'textileMaterialPercentage'],
    ['a substance of no known type', TEXTILE, ({ garment }) => delete garment.substances[0].type, 'hasSocType'],
  ])('are found out with %s', async (_, pack, change, path) => {
    expect(await faultsOf(changed(pack, change))).toContain(path);
  });
});
