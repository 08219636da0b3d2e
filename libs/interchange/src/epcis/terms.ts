/**
 * The words that exports use beyond EPCIS, each with its definition. Exporters take them from here (`trc`), and `/ns/trc` is made of
 * this list (docs/spec/domain.md#names-in-exports).
 */
interface Term {
  readonly label: string;
  readonly definition: string;
  /** What has it. */
  readonly of: 'event' | 'ilmd' | 'footprint' | 'indicator';
  readonly value: 'text' | 'boolean' | 'number' | 'URI' | 'object';
  /** All values that occur, where they are few. */
  readonly values?: readonly string[];
}

const text = (of: Term['of'], label: string, definition: string, values?: readonly string[]): Term => ({
  label,
  definition,
  of,
  value: 'text',
  ...(values && { values }),
});
const as = (value: Term['value'], of: Term['of'], label: string, definition: string): Term => ({ label, definition, of, value });
const INDICATORS = 'carbon, water, energy or waste';

export const TERMS = {
  processType: text('event', 'Process type', 'Key of the process in the process map by which the event was recorded.'),
  processMap: text('event', 'Process map', 'Name and version of that process map, as `name@version`.'),
  metadata: as(
    'object',
    'event',
    'Metadata',
    'In a captured event: what its process records and EPCIS has no member for. The members are those of the process map.',
  ),
  footprint: as(
    'object',
    'event',
    'Footprint',
    'Impacts that this event caused as a whole. It has the terms of a footprint below; further members are those of the process map.',
  ),
  dataHash: text('event', 'Data hash', 'SHA2-256 of the stored content of the event, as it is on chain: `0x` and 64 hexadecimal digits.'),
  cid: text('event', 'Content identifier', 'CIDv1 of the stored content of the event (raw codec, SHA2-256, base32).'),
  transaction: text('event', 'Transaction', 'Hash of the EVM transaction that recorded what the event is about.'),
  senderMismatch: as(
    'boolean',
    'event',
    'Sender mismatch',
    'True where another wallet signed than the one that the event was prepared for.',
  ),
  supersedes: as('URI', 'event', 'Supersedes', 'eventID of the event that this one corrects.'),
  custody: text('event', 'Change of custody', 'What happened to the offer of a lot that no event of a process records.', [
    'offered',
    'accepted',
    'rejected',
    'cancelled',
    'direct',
  ]),
  recall: text('event', 'Recall', 'UUID of the recall that flagged the lots, or that was lifted.'),
  recallClass: text('event', 'Recall class', 'Severity of the recall (21 CFR 7.3(m)), or a withdrawal.', ['I', 'II', 'III', 'withdrawal']),
  recallReason: text('event', 'Recall reason', 'Why the lots were recalled.'),
  assetType: text('ilmd', 'Asset type', 'Key of the kind of goods in the process map.'),
  boundary: text('footprint', 'Boundary', 'Whether the figures contain what came before the event.', ['gate_to_gate', 'cradle_to_gate']),
  standard: text('footprint', 'Standard', 'The standard by which the figures were computed.'),
  gwp: text('footprint', 'Global warming potentials', 'Assessment report of the IPCC whose factors were used.', ['AR5', 'AR6']),
  carbon: as('object', 'footprint', 'Carbon', 'Greenhouse gases, without the biogenic uptake.'),
  water: as('object', 'footprint', 'Water', 'Fresh water consumed.'),
  energy: as('object', 'footprint', 'Energy', 'Energy used.'),
  waste: as('object', 'footprint', 'Waste', 'Waste generated.'),
  value: as('number', 'indicator', 'Value', `The figure of ${INDICATORS}, in its unit.`),
  unit: text('indicator', 'Unit', 'Unit of the figures of this indicator.'),
  source: text('indicator', 'Source', 'Where the figure comes from: measured by the company, given by a supplier, or from a database.'),
  fossil: as('number', 'indicator', 'Fossil', 'Part of the carbon that is fossil.'),
  biogenic: as('number', 'indicator', 'Biogenic', 'Part of the carbon that is biogenic.'),
  landUseChange: as('number', 'indicator', 'Land use change', 'Part of the carbon that comes from changes of land use.'),
  biogenicUptake: as('number', 'indicator', 'Biogenic uptake', 'Carbon that was taken up, zero or negative; outside the value.'),
  renewableShare: as('number', 'indicator', 'Renewable share', 'Part of the energy that is renewable, 0 to 1.'),
  hazardous: as('number', 'indicator', 'Hazardous', 'Part of the waste that is hazardous.'),
} as const satisfies Readonly<Record<string, Term>>;

export type TermName = keyof typeof TERMS;

/** The compact IRI of a term; `@context` says where the prefix leads. */
export const trc = <Name extends TermName>(name: Name): `trc:${Name}` => `trc:${name}`;

export const termList = (): readonly (readonly [name: string, term: Term])[] => Object.entries<Term>(TERMS);
