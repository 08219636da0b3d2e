import { atPointer } from '#kernel';
import { Decimal } from 'decimal.js';
import type { Draw } from './event-amounts.js';
import { ALL } from './event-amounts.js';
import { type EventContext, type NamedLot, claimOfLot } from './event-context.js';
import type { Output } from './event-outputs.js';
import { type Reading, placeOf } from './event-reading.js';
import { type Issue, inMetadata, remark } from './issue.js';
import type { MetadataSchema } from './schema-compiler.js';
import { closest } from './did-you-mean.js';
import type { PublishedProcess } from './process-map.js';
import { convert, massKg } from './quantity.js';
import { touchesInputs } from './event-lots.js';

/** domain-decisions §2.5: the score, as opposed to the gate, which is the schema. */
export interface KdeScore {
  readonly required: number;
  readonly present: number;
  readonly ratio: number;
  readonly missing: readonly string[];
}

const isPresent = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);

export function scoreKdes({ process }: { readonly process: Pick<PublishedProcess['process'], 'kdes'> }, metadata: unknown): KdeScore {
  const required = (process.kdes ?? []).filter((kde) => kde.level === 'required');
  const missing = required.filter((kde) => !isPresent(atPointer(metadata, kde.path))).map((kde) => kde.path);
  const present = required.length - missing.length;
  return {
    required: required.length,
    present,
    ratio: required.length === 0 ? 1 : Math.round((present / required.length) * 1e6) / 1e6,
    missing,
  };
}

export const kdeIssues = ({ process }: PublishedProcess, metadata: unknown): Issue[] =>
  (process.kdes ?? [])
    .filter((kde) => !isPresent(atPointer(metadata, kde.path)))
    .map(({ path, name, level, ref }) =>
      remark(inMetadata(path), 'kde_missing', `${name} is missing: a ${level} key data element${ref ? ` (${ref})` : ''}`),
    );

export function didYouMean(metadata: object, schema: MetadataSchema): Issue[] {
  return Object.keys(metadata).flatMap((key) => {
    const guess = schema.declared.has(key) ? null : closest(key, schema.declared);
    return guess
      ? [remark(inMetadata(`/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`), 'did_you_mean', `did you mean ${guess}?`)]
      : [];
  });
}

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
      remark(inMetadata(path), 'footprint_missing', `the ${indicator} footprint of this step is missing`),
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

export const claimIssues = (published: PublishedProcess, drawn: readonly Draw[], context: EventContext): Issue[] =>
  touchesInputs(published.process)
    ? drawn
        .filter(({ input }) => context.claims.has(claimOfLot(input.tokenId)))
        .map(({ input }) =>
          remark(
            input.pointer,
            'lot_claimed',
            `another prepared event draws on lot ${input.tokenId} too; the first to land is served first`,
          ),
        )
    : [];

/** Yield and mass balance by mass in kilograms; a lot whose mass nobody knows leaves the event out, and that is told. */
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
