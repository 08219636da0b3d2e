import { Injectable } from '@nestjs/common';
import type { TenantTx } from '#persistence';
import type { EventSubmission } from '../../contract/preparation.js';
import { LotQueries } from '../../lots/lots.queries.js';
import { type GeneratedCode, readMetadata, reservationOfKey, reservationOfLot } from '../../process-maps/event-reading.js';
import type { PublishedProcess } from '../../process-maps/process-map.js';
import { MAX_INPUTS } from '../rules/event-lots.rules.js';
import { isTlc } from '../rules/event-outputs.rules.js';
import { identityOf } from '../rules/output-identity.rules.js';
import { type TlcTemplate, tlcTemplate } from '../rules/tlc-template.rules.js';
import { GeneratedCodeQueries } from './generated-codes.queries.js';
import { PreparedQueries } from './prepared-events.queries.js';

/** A submission to a known process. */
export interface KnownSubmission {
  readonly submission: EventSubmission;
  readonly published: PublishedProcess;
}

/** What is known of the keys that some submissions would mint, and of the lots that they use. */
interface Codes {
  /** Keys of landed lots. */
  readonly taken: ReadonlySet<string>;
  /** What open prepared events have reserved. */
  readonly reservations: ReadonlySet<string>;
  /**
   * A code from the template where none is given: one that was never generated before, and is neither taken nor reserved, by `reservations`
   * of the caller either; null where none is needed, or the template gives none.
   */
  generate(known: KnownSubmission, reservations: ReadonlySet<string>): Promise<GeneratedCode | null>;
}

/** Codes that one template makes with the same words: they differ by a number. */
interface Series {
  /** Of an item its key: no other submission has the same codes. */
  readonly name: string;
  /** The number of a code changes nothing of its key: the caller states the code, or an item by GTIN and serial number. */
  readonly isGiven: boolean;
  readonly known: KnownSubmission;
  readonly template: TlcTemplate;
  readonly gtin: string | null;
}

/** Codes that are tried beyond those that the submissions need, and at once where all of these are used. */
const SPARE = 8;
const MORE = 64;

/** Reads codes and reservations, and makes codes from templates. */
@Injectable()
export class ReadCodes {
  constructor(
    private readonly lots: LotQueries,
    private readonly events: PreparedQueries,
    private readonly generated: GeneratedCodeQueries,
  ) {}

  async read(tx: TenantTx, all: readonly KnownSubmission[], now: Date): Promise<Codes> {
    const series = new Map(all.map((known) => [known.submission, seriesOf(known, now)]));
    const firsts = await this.firsts(tx, [...series.values()]);
    const wanted = new Map<string, number>();
    for (const one of series.values()) if (one) wanted.set(one.name, one.isGiven ? 1 : (wanted.get(one.name) ?? SPARE) + 1);
    const tried = new Map(
      [...series.values()].flatMap((one) => (one ? [[one.name, codesOf(one, firsts.get(one.name)!, wanted.get(one.name)!)] as const] : [])),
    );
    const keys = [...new Set([...all.flatMap(givenKeys), ...[...tried.values()].flat().map(({ key }) => key)])];
    const lots = all.flatMap(({ submission }) => submission.inputTokenIds.slice(0, MAX_INPUTS).map(reservationOfLot));
    const [taken, reservations] = await Promise.all([
      this.taken(tx, keys),
      this.events.reserved(tx, [...new Set([...keys.map(reservationOfKey), ...lots])], now),
    ]);
    return {
      taken: taken.landed,
      reservations,
      generate: async ({ submission }, others) => {
        const one = series.get(submission) ?? null;
        if (!one) return null;
        const isFree = ({ key }: GeneratedCode): boolean =>
          !taken.landed.has(key) &&
          !taken.generated.has(key) &&
          !reservations.has(reservationOfKey(key)) &&
          !others.has(reservationOfKey(key));
        const near = tried.get(one.name)!;
        if (one.isGiven) return near[0] ?? null;
        return near.find(isFree) ?? this.freeBeyond(tx, one, (near.at(-1)?.number ?? 0) + 1, { others, now });
      },
    };
  }

  /** The first number of each series that was not given away yet. */
  private async firsts(tx: TenantTx, series: readonly (Series | null)[]): Promise<ReadonlyMap<string, number>> {
    const open = series.filter((one) => one !== null);
    const last = await this.generated.last(tx, [...new Set(open.filter(({ isGiven }) => !isGiven).map(({ name }) => name))]);
    return new Map(open.map(({ name, isGiven }) => [name, isGiven ? 0 : (last.get(name) ?? 0) + 1]));
  }

  private async taken(
    tx: TenantTx,
    keys: readonly string[],
  ): Promise<{ readonly landed: ReadonlySet<string>; readonly generated: ReadonlySet<string> }> {
    if (keys.length === 0) return { landed: new Set(), generated: new Set() };
    const [landed, generated] = await Promise.all([this.lots.takenKeys(tx, keys), this.generated.known(tx, keys)]);
    return { landed, generated };
  }

  private async freeBeyond(
    tx: TenantTx,
    series: Series,
    from: number,
    { others, now }: { readonly others: ReadonlySet<string>; readonly now: Date },
  ): Promise<GeneratedCode | null> {
    for (let first = from; ; first += MORE) {
      const codes = codesOf(series, first, MORE).filter(({ key }) => !others.has(reservationOfKey(key)));
      // Its numbers have made the codes too long, or do not fit the pattern of the process.
      if (codesOf(series, first, 1).length === 0) return null;
      const keys = codes.map(({ key }) => key);
      const [taken, reserved] = await Promise.all([this.taken(tx, keys), this.events.reserved(tx, keys.map(reservationOfKey), now)]);
      const free = codes.find(({ key }) => !taken.landed.has(key) && !taken.generated.has(key) && !reserved.has(reservationOfKey(key)));
      if (free) return free;
    }
  }
}

/** Null where no code is needed, or a word of the template is missing. */
function seriesOf(known: KnownSubmission, now: Date): Series | null {
  const { submission, published } = known;
  const { tlc, outputs } = published.process;
  if (submission.outputTlc !== null || outputs.min === 0 || tlc?.template === undefined) return null;
  const reading = readMetadata(submission.metadata, published.process, []);
  const template = tlcTemplate(tlc, submission.metadata, reading.eventTime ?? now, reading.eventTimeZoneOffset);
  if (template.missing.length > 0) return null;
  const { gtin, serial } = reading;
  const { key } = identityOf(published, { tlc: 'X', gtin, serial, assetType: outputs.assetType ?? '' });
  const isItem = key.kind === 'item';
  const name = isItem ? key.text : `${key.gtin ?? ''} ${template.series}`;
  return { name, isGiven: isItem || template.isGiven, known, template, gtin };
}

/** The codes of a series from a number on, as far as the template gives them. */
const codesOf = (series: Series, from: number, count: number): GeneratedCode[] =>
  Array.from({ length: count }, (_, i) => codeOf(series, from + i)).filter((code) => code !== null);

function codeOf({ name, known: { submission, published }, template, gtin }: Series, number: number): GeneratedCode | null {
  // Number 0 is given away to nobody. The first lot number of the template is that of an item, which its serial number tells apart.
  const tlc = template.code(number === 0 && !template.isGiven ? 1 : number);
  if (tlc === null || !isTlc(tlc)) return null;
  const { serial } = readMetadata(submission.metadata, published.process, []);
  const { key } = identityOf(published, { tlc, gtin, serial, assetType: published.process.outputs.assetType ?? '' });
  return { tlc, key: key.text, series: name, number };
}

function givenKeys({ submission, published }: KnownSubmission): string[] {
  const { gtin, serial, coProducts } = readMetadata(submission.metadata, published.process, []);
  const main = { tlc: submission.outputTlc ?? serial ?? '', gtin, serial, assetType: published.process.outputs.assetType ?? '' };
  return [main, ...coProducts].flatMap((names) => (isTlc(names.tlc) ? [identityOf(published, names).key.text] : []));
}
