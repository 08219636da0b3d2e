import { ALL } from '../../lots/lot.js';
import { atPointer, escapePointer } from '#kernel';
import { Decimal } from 'decimal.js';
import { type Draw, convert, massKg } from './event-amounts.rules.js';
import {
  type ValidationContext,
  type NamedLot,
  reservationOfLot,
  type Reading,
  placeOf,
  type Issue,
  inMetadata,
  remark,
} from '../../process-maps/event-reading.js';
import type { Output } from './event-outputs.rules.js';
import type { SchemaVerdict } from '../../process-maps/schemas/schema-compiler.js';
import { type KeyDataElement, type PublishedProcess, placesOfKde } from '../../process-maps/process-map.js';
import { touchesInputs } from './event-lots.rules.js';

/** docs/spec/domain.md#event-record: the score, as opposed to the gate, which is the schema. */
export interface KdeScore {
  readonly required: number;
  readonly present: number;
  readonly ratio: number;
  readonly missing: readonly string[];
}

const isPresent = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);

export function scoreKdes({ process }: { readonly process: Pick<PublishedProcess['process'], 'kdes'> }, metadata: unknown): KdeScore {
  const required = ownKdes(process).filter((kde) => kde.level === 'required');
  const missing = required.filter((kde) => isMissing(kde, metadata)).map((kde) => placesOfKde(kde).join(' or '));
  const present = required.length - missing.length;
  return {
    required: required.length,
    present,
    ratio: required.length === 0 ? 1 : Math.round((present / required.length) * 1e6) / 1e6,
    missing,
  };
}

/** What is true of each input for itself is judged where the input was made, cooled or received. */
const ownKdes = ({ kdes = [] }: Pick<PublishedProcess['process'], 'kdes'>): readonly KeyDataElement[] =>
  kdes.filter(({ of }) => of !== 'input');

const isMissing = (kde: KeyDataElement, metadata: unknown): boolean =>
  placesOfKde(kde).every((pointer) => !isPresent(atPointer(metadata, pointer)));

export const kdeIssues = ({ process }: PublishedProcess, metadata: unknown): Issue[] =>
  ownKdes(process)
    .filter((kde) => kde.level !== 'optional' && isMissing(kde, metadata))
    .map((kde) => {
      const [first, ...others] = placesOfKde(kde);
      const choice = others.length > 0 ? ` (here or at ${others.join(', ')})` : '';
      const { name, level, ref } = kde;
      return remark(inMetadata(first!), 'kde_missing', `${name} is missing${choice}: a ${level} key data element${ref ? ` (${ref})` : ''}`);
    });

export const didYouMean = (hints: SchemaVerdict['hints']): Issue[] =>
  hints.map(({ name, meant }) => remark(inMetadata(`/${escapePointer(name)}`), 'did_you_mean', `did you mean ${meant}?`));

export function documentIssues({ process }: PublishedProcess, reading: Reading): Issue[] {
  const at = inMetadata(placeOf(process, 'documents'));
  const given = new Set(reading.documents.map((document) => document.type));
  const missing = (process.documents ?? []).filter((document) => document.required && !given.has(document.type));
  const time = reading.eventTime?.toISOString().slice(0, 10);
  return [
    ...missing.map(({ type }) => remark(at, 'document_missing', `a document of type ${type} belongs to this process`)),
    ...reading.documents
      .filter(({ validTo }) => validTo !== null && time !== undefined && validTo < time)
      .map(({ type, validTo, pointer }) =>
        remark(inMetadata(`${pointer}/validTo`), 'document_expired', `${type} was valid until ${validTo}`),
      ),
  ];
}

export function footprintIssues({ process }: PublishedProcess, metadata: unknown, reading: Reading, lots: readonly NamedLot[]): Issue[] {
  const missing = (process.footprint?.indicators ?? []).filter(({ required, path }) => required && !isPresent(atPointer(metadata, path)));
  const other = reading.gwp && lots.find((lot) => lot.gwp !== null && lot.gwp !== reading.gwp);
  return [
    ...missing.map(({ indicator, path }) =>
      remark(inMetadata(path), 'footprint_missing', `the ${indicator} footprint of this process is missing`),
    ),
    ...(other
      ? [
          remark(
            `${inMetadata(placeOf(process, 'footprint'))}/gwp`,
            'gwp_mixed',
            `${reading.gwp} is mixed with ${other.gwp}, by which ${other.tlc} was stated`,
          ),
        ]
      : []),
  ];
}

export const reservationIssues = (published: PublishedProcess, drawn: readonly Draw[], context: ValidationContext): Issue[] =>
  touchesInputs(published.process)
    ? drawn
        .filter(({ input }) => context.reservations.has(reservationOfLot(input.tokenId)))
        .map(({ input }) =>
          remark(input.pointer, 'lot_claimed', `another prepared event draws on lot ${input.tokenId} too; the first to land gets it`),
        )
    : [];

/** Yield and mass balance by mass in kilograms; a lot of unknown mass leaves the event out, which a warning says. */
export function massIssues(published: PublishedProcess, drawn: readonly Draw[], outputs: readonly Output[], reading: Reading): Issue[] {
  const { process } = published;
  const balanced = process.massBalance?.mode === 'mass';
  if ((!balanced && !process.yield) || drawn.length === 0 || outputs.length === 0) return [];
  const masses = massesOf(published, drawn, outputs, reading);
  const at = inMetadata(placeOf(process, 'quantity'));
  if (!masses)
    return [remark(at, 'mass_unknown', 'a quantity without a mass in kilograms leaves this event out of yield and mass balance')];
  if (masses.input.isZero()) return [];
  return [...yieldIssues(published, masses, at), ...(balanced ? balanceIssues(published, masses, at) : [])];
}

interface Masses {
  readonly input: Decimal;
  readonly main: Decimal;
  readonly all: Decimal;
  readonly lost: Decimal;
}

function massesOf({ map }: PublishedProcess, drawn: readonly Draw[], outputs: readonly Output[], reading: Reading): Masses | null {
  const types = map.document.assetTypes;
  const each = (assetType: string | null) =>
    assetType !== null && Object.hasOwn(types, assetType) ? types[assetType]!.massPerUnitKg : undefined;
  const input = drawn.map(({ amount, input: { lot } }) =>
    lot?.uom && amount !== ALL ? massKg(amount, lot.uom, each(lot.assetType)) : null,
  );
  const made = outputs.map(({ quantity, uom, assetType }) => (quantity === null ? null : massKg(quantity, uom, each(assetType))));
  const lost = reading.losses.map((loss) => {
    const kilograms = convert(loss, 'KGM');
    return 'micro' in kilograms ? massKg(kilograms.micro, 'KGM', undefined) : null;
  });
  const sums = [input, made, lost].map(sum);
  if (sums.some((total) => total === null) || made.length === 0) return null;
  return { input: sums[0]!, main: made[0]!, all: sums[1]!, lost: sums[2]! };
}

const sum = (parts: readonly (Decimal | null)[]): Decimal | null =>
  parts.some((part) => part === null) ? null : parts.reduce<Decimal>((total, part) => total.plus(part!), new Decimal(0));

function yieldIssues({ process }: PublishedProcess, { input, main }: Masses, at: string): Issue[] {
  if (!process.yield) return [];
  const ratio = main.div(input);
  const { min, max } = process.yield;
  return ratio.lt(min) || ratio.gt(max) ? [remark(at, 'yield_unusual', `the yield is ${ratio.toFixed(4)}, expected ${min} to ${max}`)] : [];
}

function balanceIssues({ process, map }: PublishedProcess, { input, all, lost }: Masses, at: string): Issue[] {
  const tolerance = process.massBalance?.tolerance ?? map.document.defaults?.massBalanceTolerance ?? 0.02;
  const gap = input.minus(all).minus(lost);
  const gain = all.gt(input);
  if (!gain && gap.abs().div(input).lte(tolerance)) return [];
  const says = `${input.toString()} kg in, ${all.toString()} kg out, ${lost.toString()} kg lost`;
  return [
    remark(at, 'mass_balance', gain ? `more comes out than went in: ${says}` : `${gap.toString()} kg are not accounted for: ${says}`),
  ];
}
