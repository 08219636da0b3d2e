/**
 * What the value behind an application identifier is made of (GS1 General Specifications §3.2): `N14` fourteen digits, `X..20` at most twenty
 * characters, `N13 X..17` digits and then characters. A compressed Digital Link has no other lengths.
 */
const FORMATS: readonly (readonly [identifiers: string, format: string])[] = [
  ['00', 'N18'],
  ['01 02 03', 'N14'],
  ['11 12 13 15 16 17', 'N6'],
  ['20', 'N2'],
  ['10 21 22 243 254', 'X..20'],
  ['235', 'X..28'],
  ['240 241 250 251', 'X..30'],
  ['242', 'N..6'],
  ['253', 'N13 X..17'],
  ['255', 'N13 N..12'],
  ['30 37', 'N..8'],
  ['3900-3909 3920-3929', 'N..15'],
  ['3910-3919 3930-3939', 'N3 N..15'],
  ['3940-3943', 'N4'],
  ['3950-3955', 'N6'],
  ['400 401 403', 'X..30'],
  ['402', 'N17'],
  ['410-417', 'N13'],
  ['420', 'X..20'],
  ['421', 'N3 X..9'],
  ['422 424 426', 'N3'],
  ['423 425', 'N3 N..12'],
  ['427', 'X..3'],
  ['4300 4301 4310 4311 4320', 'X..35'],
  ['4302-4306 4312-4316', 'X..70'],
  ['4307 4317', 'X2'],
  ['4308 4319', 'X..30'],
  ['4309', 'N20'],
  ['4318', 'X..20'],
  ['4321-4323', 'N1'],
  ['4324 4325', 'N10'],
  ['4326', 'N6'],
  ['7001', 'N13'],
  ['7002 7023', 'X..30'],
  ['7003', 'N10'],
  ['7004', 'N..4'],
  ['7005', 'X..12'],
  ['7006', 'N6'],
  ['7007', 'N6 N..6'],
  ['7008', 'X..3'],
  ['7009', 'X..10'],
  ['7010', 'X..2'],
  ['7020-7022 710-717', 'X..20'],
  ['7030-7039', 'N3 X..27'],
  ['7040', 'N1 X3'],
  ['7041', 'X..4'],
  ['7230-7239', 'X2 X..28'],
  ['8001', 'N14'],
  ['8002 8012', 'X..20'],
  ['8003', 'N14 X..16'],
  ['8004 8010 8013', 'X..30'],
  ['8005', 'N6'],
  ['8006 8017 8018 8026', 'N18'],
  ['8007', 'X..34'],
  ['8008', 'N8 N..4'],
  ['8009', 'X..50'],
  ['8011', 'N..12'],
  ['8019', 'N..10'],
  ['8020', 'X..25'],
  ['8110 8112 8200', 'X..70'],
  ['8111', 'N4'],
  ['90', 'X..30'],
  ['91-99', 'X..90'],
];

/** Measures of trade items and of logistic units: the last digit says where the decimal point is. */
const MEASURE = /^3(1[0-6]|2\d|3[0-7]|4\d|5[0-7]|6\d)[0-5]$/;

interface ElementPart {
  readonly digitsOnly: boolean;
  /** Of a part of fixed length its length, otherwise the most that it may have. */
  readonly length: number;
  readonly fixed: boolean;
}

const partOf = (text: string): ElementPart => ({
  digitsOnly: text.startsWith('N'),
  length: Number(text.replace(/^[NX](\.\.)?/, '')),
  fixed: !text.includes('..'),
});

const PARTS = new Map<string, readonly ElementPart[]>(
  FORMATS.flatMap(([identifiers, format]) =>
    identifiers.split(' ').flatMap((range) => {
      const [first, last = first] = range.split('-') as [string, string?];
      const parts = format.split(' ').map(partOf);
      return Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => {
        const identifier = String(Number(first) + i).padStart(first.length, '0');
        return [identifier, parts] as const;
      });
    }),
  ),
);
const MEASURE_PARTS: readonly ElementPart[] = [partOf('N6')];

/** The parts of the value behind an application identifier; null for an identifier that is not defined. */
export const elementParts = (identifier: string): readonly ElementPart[] | null =>
  PARTS.get(identifier) ?? (MEASURE.test(identifier) ? MEASURE_PARTS : null);

/** How many digits the application identifiers with these first two have; null where there are none (General Specifications §7.8). */
export function identifierLength(firstTwo: string): 2 | 3 | 4 | null {
  if (/^3[1-6]$/.test(firstTwo)) return 4;
  for (const identifier of PARTS.keys()) if (identifier.startsWith(firstTwo)) return identifier.length as 2 | 3 | 4;
  return null;
}
