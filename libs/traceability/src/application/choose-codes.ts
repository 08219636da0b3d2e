import { Injectable } from '@nestjs/common';
import type { TenantTx } from '#persistence';
import type { EventSubmission } from '../contract.js';
import { claimOfLot, claimOfTlc } from '../domain/event-context.js';
import { readMetadata } from '../domain/event-reading.js';
import type { PublishedProcess } from '../domain/process-map.js';
import { type TlcTemplate, isTlc, tlcTemplate } from '../domain/tlc.js';
import { LotBackgrounds, PreparedEvents } from '../ports.js';

/** Codes tried at once for a template with `{seq}`, and in all. */
const SEQUENCE_STEP = 32;
const SEQUENCE_END = 4096;

/** A submission to a known process. */
export interface Placed {
  readonly submission: EventSubmission;
  readonly published: PublishedProcess;
}

/** What is known of the codes that some submissions would mint, and of the lots that they reach for. */
export interface GatheredCodes {
  /** Codes of landed lots. */
  readonly taken: ReadonlySet<string>;
  /** What open prepared events reach for. */
  readonly claims: ReadonlySet<string>;
  /**
   * A code from the template where none is given: one that is neither taken nor claimed, in `claims` of the caller either; null
   * where none is asked for or there is none.
   */
  generate(placed: Placed, claims: ReadonlySet<string>): Promise<string | null>;
}

/** Codes and claims of any number of submissions in one question each. */
@Injectable()
export class ChooseCodes {
  constructor(
    private readonly backgrounds: LotBackgrounds,
    private readonly events: PreparedEvents,
  ) {}

  async gather(tx: TenantTx, all: readonly Placed[], now: Date): Promise<GatheredCodes> {
    const templates = new Map(all.map((placed) => [placed.submission, templateOf(placed, now)]));
    const tried = [...templates.values()].flatMap((template) => (template ? codesFrom(template, 1) : []));
    const codes = [...new Set([...all.flatMap(givenCodes), ...tried])];
    const lots = all.flatMap(({ submission }) => submission.inputTokenIds.map(claimOfLot));
    const taken = new Set(codes.length === 0 ? [] : await this.backgrounds.takenTlcs(tx, codes));
    const claims = await this.events.claimed(tx, [...new Set([...codes.map(claimOfTlc), ...lots])], now);
    return {
      taken,
      claims,
      generate: async ({ submission }, others) => {
        const template = templates.get(submission) ?? null;
        if (!template) return null;
        const isFree = (code: string): boolean => !taken.has(code) && !claims.has(claimOfTlc(code)) && !others.has(claimOfTlc(code));
        // Without a sequence there is one code; whether it is free is for the rules to say.
        if (!template.hasSequence) return template.code(0);
        return codesFrom(template, 1).find(isFree) ?? this.freeBeyond(tx, template, others, now);
      },
    };
  }

  private async freeBeyond(tx: TenantTx, template: TlcTemplate, others: ReadonlySet<string>, now: Date): Promise<string | null> {
    for (let from = 1 + SEQUENCE_STEP; from < SEQUENCE_END; from += SEQUENCE_STEP) {
      const codes = codesFrom(template, from).filter((code) => !others.has(claimOfTlc(code)));
      const [taken, claimed] = [await this.backgrounds.takenTlcs(tx, codes), await this.events.claimed(tx, codes.map(claimOfTlc), now)];
      const free = codes.find((code) => !taken.has(code) && !claimed.has(claimOfTlc(code)));
      if (free !== undefined) return free;
    }
    return null;
  }
}

/** Null where no code is asked for, or a word of the template is missing. */
function templateOf({ submission, published: { process } }: Placed, now: Date): TlcTemplate | null {
  const text = process.tlc?.template;
  if (submission.outputTlc !== null || process.outputs.min === 0 || text === undefined) return null;
  const reading = readMetadata(submission.metadata, process, []);
  const template = tlcTemplate(text, submission.metadata, reading.eventTime ?? now, reading.eventTimeZoneOffset);
  return template.missing.length > 0 ? null : template;
}

const codesFrom = (template: TlcTemplate, from: number): string[] =>
  (template.hasSequence ? Array.from({ length: SEQUENCE_STEP }, (_, i) => template.code(from + i)) : [template.code(0)]).filter(isTlc);

const givenCodes = ({ submission, published }: Placed): string[] =>
  [submission.outputTlc, ...readMetadata(submission.metadata, published.process, []).coProducts.map((line) => line.tlc)].filter(
    (tlc): tlc is string => tlc !== null && isTlc(tlc),
  );
