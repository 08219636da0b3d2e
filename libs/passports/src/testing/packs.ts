const BATTERY = 'https://ref.openepcis.io/extensions/eu/battery/';
const TEXTILE = 'https://ref.openepcis.io/extensions/eu/textile/';
const CORE = 'https://ref.openepcis.io/extensions/common/core/';
const file = (name: string): string => `https://files.example.org/${name}.pdf`;
const measure = (value: number, unitCode: string): object => ({ value, unitCode });
const COMPANY = { gln: '9520000100018', name: 'Example Works' };
const OPERATOR = { ...COMPANY, role: `${CORE}Manufacturer` };

/** `metadata.battery` of a pack, as the process map `battery` asks for it. */
export const EXAMPLE_BATTERY = {
  ...{ model: 'EX-5', name: 'Example module 5 kWh', category: `${BATTERY}IndustrialBattery`, status: `${BATTERY}Original` },
  ...{
    weight: measure(125.5, 'KGM'),
    manufacturedOn: '2026-03-06',
    operator: OPERATOR,
    manufacturer: COMPANY,
    facility: { gln: COMPANY.gln },
  },
  chemistry: { name: 'Lithium iron phosphate', abbreviation: 'LFP', cathode: 'LiFePO4', anode: 'Graphite' },
  criticalRawMaterials: 'Contains lithium, graphite and phosphorus.',
  hazardousSubstances: [{ name: 'Lithium hexafluorophosphate' }],
  carbonFootprint: { total: measure(58.2, 'KGM'), class: `${BATTERY}CFClassB`, study: file('footprint'), functionalUnit: '1 kWh' },
  dueDiligence: { report: file('due-diligence') },
  recycledContent: { cobalt: 0, lithium: 12, nickel: 0, lead: 0 },
  renewableContent: 3,
  specification: {
    ratedCapacity: measure(100, 'AMH'),
    voltage: { minimum: measure(40, 'VLT'), nominal: measure(51.2, 'VLT'), maximum: measure(58.4, 'VLT') },
    power: measure(5, 'KWT'),
    powerAtCharge: [
      { stateOfCharge: 80, power: measure(5, 'KWT') },
      { stateOfCharge: 20, power: measure(4.2, 'KWT') },
    ],
    powerLimits: { charging: measure(2.5, 'KWT'), discharging: measure(6, 'KWT') },
    ...{ cycleLife: 6_000, lifeYears: 15, referenceTest: 'https://www.iec.ch/62660-1', cRate: 0.33, exhaustedBelow: 70 },
    ...{ efficiency: { initial: 96, atHalfLife: 94 }, resistance: measure(1.8, 'OHM') },
    chargingTemperature: { minimum: measure(0, 'CEL'), maximum: measure(45, 'CEL') },
    dischargingTemperature: { minimum: measure(-20, 'CEL'), maximum: measure(55, 'CEL') },
    idleTemperature: { minimum: measure(-20, 'CEL'), maximum: measure(60, 'CEL') },
  },
  ...{ warranty: file('warranty'), symbols: { cadmium: false, lead: false, separateCollection: 'https://files.example.org/bin.svg' } },
  conformity: { declaration: file('declaration'), id: 'DoC-2026-1' },
  endOfLife: {
    prevention: file('prevention'),
    collection: file('collection'),
    treatment: file('treatment'),
    extinguishingAgent: 'Class D',
  },
  composition: [{ material: 'Lithium', massFraction: 0.042, component: `${BATTERY}Cathode` }],
  spareParts: { supplier: 'Example Service', parts: 'CC-16 cell connectors', email: 'parts@example.org' },
  ...{ dismantling: file('dismantling'), safety: file('safety'), cells: 16 },
  dismantlingDocuments: [
    { type: `${BATTERY}Drawing`, url: file('exploded-view') },
    { type: `${BATTERY}DismantlingManual`, url: file('sequence-fasteners-tools-warnings') },
  ],
  testReports: file('test-report'),
  condition: {
    ...{ remainingCapacity: measure(99, 'AMH'), capacityFade: measure(1, 'P1') },
    ...{ power: [{ stateOfCharge: 80, power: measure(4.9, 'KWT') }], powerFade: measure(2, 'P1') },
    ...{ resistance: measure(1.9, 'OHM'), resistanceIncrease: measure(5.6, 'P1') },
    ...{ efficiency: measure(95.5, 'P1'), efficiencyFade: measure(0.5, 'P1') },
    ...{ selfDischarge: measure(2, 'P1'), selfDischargeChange: measure(0.1, 'P1') },
    stateOfHealth: measure(98.5, 'P1'),
    cycles: 12,
    accidents: 'none',
    stateOfCharge: measure(80, 'P1'),
    hotMinutes: 0,
    coldMinutes: 15,
  },
};

/** `metadata.garment` of a lot, as the process map `textile` asks for it. */
export const EXAMPLE_GARMENT = {
  ...{ name: 'Example shell jacket', description: 'Three layers, recycled polyester.', brand: { name: 'Example' } },
  ...{
    manufacturer: COMPANY,
    operator: OPERATOR,
    weight: measure(450, 'GRM'),
    type: 'Shell jacket',
    sizes: 'XS-3XL',
    collection: 'FW2026',
  },
  fibres: [
    { fibre: 'Polyester (shell)', percent: 75, origin: 'DE', recycled: true },
    { fibre: 'Merino wool (back)', percent: 25, origin: 'AU', recycled: false },
  ],
  care: {
    ...{
      washing: `${TEXTILE}Wash30`,
      bleaching: `${TEXTILE}DoNotBleach`,
      drying: `${TEXTILE}DoNotTumbleDry`,
      ironing: `${TEXTILE}DoNotIron`,
    },
    more: 'Close all zips before washing.',
  },
  durability: { washCycles: 120, pilling: 4, colourFastness: 4, class: `${TEXTILE}DurabilityB` },
  microplastic: { risk: `${TEXTILE}MediumShedding`, syntheticPercent: 75 },
  substances: [{ name: 'Water repellent without PFC', type: `${TEXTILE}SoCTypeD`, concentration: 0, safeUse: 'No restricted substances.' }],
  takeBack: { url: file('take-back'), destination: 'Sorted for resale or recycling.' },
  ...{ repairable: true, repairGuide: file('repair'), pfasFree: true, testReports: file('tests') },
};
