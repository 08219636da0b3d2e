import { readFileSync } from 'node:fs';

/** What the pages of passports say. `{0}` and `{1}` in a text are values. */
export const TEXT_KEYS = [
  ...(['passport', 'version', 'dated', 'lot', 'serial', 'picture', 'logo', 'active', 'recalled', 'expired'] as const),
  ...(['retired', 'draft', 'recallTitle', 'reasonUnknown', 'since', 'classI', 'classII', 'classIII', 'withdrawal'] as const),
  ...(['voidedTitle', 'voidedText', 'leftChain', 'pastDate', 'bestBeforeOn', 'product', 'category', 'produced'] as const),
  ...(['bestBefore', 'hsCode', 'company', 'operator', 'notStated', 'custody', 'knownOrigin', 'stepsVerified'] as const),
  ...(['origin', 'noStep', 'moreSteps', 'placeNotStated', 'verified', 'footprint', 'noFootprint', 'indicator'] as const),
  ...(['perKg', 'perUnit', 'covered', 'cradle', 'primary', 'certificates', 'noCertificate', 'validUntil'] as const),
  ...(['expiredOn', 'notVerified', 'evidence', 'lastCheck', 'notYet', 'ok', 'mismatch', 'unreachable', 'chain'] as const),
  ...(['contract', 'transaction', 'dataHash', 'evidenceFile', 'checkPage', 'thisPassport', 'address', 'code', 'yes'] as const),
  ...(['no', 'none', 'severalTitle', 'severalText', 'invalidTitle', 'invalidText', 'absentTitle', 'absentText'] as const),
  ...(['withdrawnTitle', 'withdrawnText', 'grantTitle', 'grantFor', 'grantUntil', 'grantOnce', 'open'] as const),
  ...([
    'refusedTitle',
    'refusedText',
    'allPublic',
    'places',
    'mapOf',
    'mapNote',
    'matrix',
    'previousTitle',
    'nextTitle',
    'otherPassport',
  ] as const),
] as const;
export type TextKey = (typeof TEXT_KEYS)[number];

/** All languages in one file, each text in the order of `languages`. */
interface Catalogue {
  readonly languages: readonly string[];
  readonly texts: Readonly<Record<TextKey, readonly string[]>>;
  /** Names and values of process maps that many products have. What is not here is shown in English. */
  readonly names: readonly (readonly string[])[];
}

export const CATALOGUE = JSON.parse(readFileSync(new URL('./catalogue.json', import.meta.url), 'utf8')) as Catalogue;

/** By the English words in lower case. */
export const FIELD_NAMES: ReadonlyMap<string, readonly string[]> = new Map(
  CATALOGUE.names.map((names) => [names[0]!.toLowerCase(), names]),
);
