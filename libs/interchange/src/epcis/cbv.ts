/** Words of the Core Business Vocabulary 2.0 (ISO/IEC 19988). */

export const BIZ_STEPS: ReadonlySet<string> = words(`
  accepting arriving assembling collecting commissioning consigning creating_class_instance cycle_counting decommissioning departing
  destroying disassembling dispensing encoding entering_exiting holding inspecting installing killing loading other packing picking
  receiving removing repackaging repairing replacing reserving retail_selling sampling sensor_reporting shipping staging_outbound
  stock_taking stocking storing transporting unloading unpacking void_shipping`);

export const DISPOSITIONS: ReadonlySet<string> = words(`
  active available completeness_inferred completeness_verified conformant container_closed container_open damaged destroyed dispensed
  disposed encoded expired in_progress in_transit inactive mismatch_class mismatch_instance mismatch_quantity needs_replacement
  no_pedigree_match non_conformant non_sellable_other partially_dispensed recalled reserved retail_sold returned sellable_accessible
  sellable_not_accessible stolen unavailable unknown`);

export const TRANSACTION_TYPES: ReadonlySet<string> = words(
  'bol cert desadv inv pedigree po poc prodorder recadv rma testprd testres upevt',
);
const PARTY_TYPES: ReadonlySet<string> = words('owning_party possessing_party location');
export const ERROR_REASONS: ReadonlySet<string> = words('did_not_occur incorrect_data');
export const ACTIONS: ReadonlySet<string> = words('ADD OBSERVE DELETE');

/** A word list: how its words are written in full, today and before CBV 2.0. */
export interface Vocabulary {
  readonly name: string;
  readonly words: ReadonlySet<string>;
  /** The canonical form is `https://ref.gs1.org/cbv/<web>-<word>`. */
  readonly web: string;
  readonly urn: string;
}

export const BIZ_STEP: Vocabulary = { name: 'business step', words: BIZ_STEPS, web: 'BizStep', urn: 'bizstep' };
export const DISPOSITION: Vocabulary = { name: 'disposition', words: DISPOSITIONS, web: 'Disp', urn: 'disp' };
export const TRANSACTION_TYPE: Vocabulary = { name: 'business transaction type', words: TRANSACTION_TYPES, web: 'BTT', urn: 'btt' };
export const PARTY_TYPE: Vocabulary = { name: 'source or destination type', words: PARTY_TYPES, web: 'SDT', urn: 'sdt' };
export const ERROR_REASON: Vocabulary = { name: 'error reason', words: ERROR_REASONS, web: 'ER', urn: 'er' };

/** Axes and directions of a sensor value (CBV 2.0 §7.8). */
export const COMPONENT: Vocabulary = {
  name: 'component',
  words: words('x y z axial_distance azimuth height spherical_radius polar_angle elevation_angle easting northing latitude longitude'),
  web: 'Comp',
  urn: 'comp',
};

const CANONICAL = 'https://ref.gs1.org/cbv/';
/** Measurements and exceptions are words of GS1's web vocabulary, bare or with its prefix; its address was another one before. */
const GS1_VOCABULARY = 'https://ref.gs1.org/voc/';
const GS1_SPELLINGS = /^(?:gs1:|https?:\/\/(?:www\.|ref\.|ns\.)?gs1\.org\/voc\/)?(?=[^:/]+$)/;

/** A word of GS1's vocabulary in full; a word of another one stays as it is. */
export const gs1Word = (text: string): string => text.replace(GS1_SPELLINGS, GS1_VOCABULARY);

/** The bare word, however it was written; what is no word of the list (a private URI, a typing error) stays as it is. */
export function wordOf({ web, urn }: Vocabulary, text: string): string {
  const written = [`urn:epcglobal:cbv:${urn}:`, `${CANONICAL}${web}-`, `https://ns.gs1.org/cbv/${web}-`, `cbv:${web}-`];
  const start = written.find((one) => text.startsWith(one));
  return start === undefined ? text : text.slice(start.length);
}

/** The word in full, as the event hash writes it. */
export function fullWord(vocabulary: Vocabulary, text: string): string {
  const word = wordOf(vocabulary, text);
  return word === text && !vocabulary.words.has(word) ? text : `${CANONICAL}${vocabulary.web}-${word}`;
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}
