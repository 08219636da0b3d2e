import { atPointer, kilogramsPer } from '#kernel';
import { type AlertType, type Finding, type MapRules, type Rule, type Severity, eventSubject, mapOf, newestMap } from './rule.js';
import { be, counted, duration, have, listed, moment, secondsBetween } from './wording.js';

export interface InputFacts {
  readonly tokenId: bigint;
  readonly tlc: string;
  readonly resolved: boolean;
  readonly mapName: string | null;
  /** Time of the event that made the lot; null = unknown. */
  readonly madeAt: Date | null;
  readonly usedKg: number | null;
}

interface ForeignSender {
  readonly eventId: string;
  readonly sender: string;
  /** Null where it was prepared without a sender. */
  readonly preparedSender: string | null;
}

/** What rules about confirmed events use: the values of the last correction. Masses in kilograms. */
export interface EventFacts {
  readonly id: string;
  readonly processType: string | null;
  readonly processLabel: string | null;
  readonly kind: string | null;
  readonly mapName: string | null;
  readonly mapVersion: string | null;
  readonly eventTime: Date | null;
  readonly recordTime: Date;
  readonly outputTlc: string | null;
  readonly orgIds: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly documents: readonly Readonly<Record<string, unknown>>[];
  readonly country: string | null;
  readonly calldataMismatch: boolean;
  /** Who signed it, or a correction of it, instead of whom it was prepared for; null = the prepared sender did. */
  readonly foreignSender: ForeignSender | null;
  readonly resolved: boolean;
  /** Of the format of its content; of 1 everything is in the clear. Null where it is not known. */
  readonly contentVersion: number | null;
  readonly inputs: readonly InputFacts[];
  readonly outputs: number;
  readonly inputKg: number | null;
  readonly mainOutputKg: number | null;
  readonly coProductKg: number | null;
  readonly declaredLossKg: number | null;
  readonly gapKg: number | null;
  readonly gapRatio: number | null;
  readonly massTolerance: number | null;
  readonly balanceOutside: boolean;
  readonly yield: number | null;
  readonly yieldMin: number | null;
  readonly yieldMax: number | null;
  readonly yieldOutside: boolean;
  /** Sites where the input goods were created, for an identity-preserving map; two at most. Null = not read. */
  readonly origins: readonly string[] | null;
}

/** What all findings about an event have in common. */
export const aboutEvent = (
  type: AlertType,
  severity: Severity,
  event: EventFacts,
  finding: Pick<Finding, 'title' | 'detail' | 'evidence' | 'threshold'> & { readonly key?: string },
): Finding => ({
  type,
  severity,
  subject: eventSubject(event),
  key: '',
  group: processNameOf(event),
  processType: event.processType,
  orgIds: event.orgIds,
  ...finding,
});

type Named = Pick<EventFacts, 'processLabel' | 'processType'>;

export const processNameOf = (event: Named): string => event.processLabel ?? event.processType ?? '';

/** "Mill paddy (RM-20260920-01)"; what made no lot has its name only, because its id says nothing to people. */
export const eventName = (event: Named & Pick<EventFacts, 'outputTlc' | 'id'>): string =>
  `${processNameOf(event) || 'An event'}${event.outputTlc === null ? '' : ` (${event.outputTlc})`}`;

export const eventsOf = (count: number, group: string): string => `${counted(count, 'event')}${group && ` of ${group}`}`;

/** One alert for each level, so that a missing recommended element does not hide a missing required one. */
export const kdeMissing: Rule<EventFacts> = {
  type: 'KDE_MISSING',
  recommendation: 'Correct the event and add the missing data; each element is listed with the paragraph that requires it.',
  reference: '21 CFR 1.1325',
  headline: (count, group) => `${eventsOf(count, group)} ${have(count)} key data elements missing`,
  judge(event, context) {
    const kdes = mapOf(context, event)?.processes.get(event.processType ?? '')?.kdes ?? [];
    return (['required', 'recommended'] as const).flatMap((level) => {
      const missing = kdes.filter(
        ({ level: of, path, oneOf = [path] }) => of === level && oneOf.every((place) => !isPresent(atPointer(event.metadata, place))),
      );
      if (missing.length === 0) return [];
      return [
        aboutEvent('KDE_MISSING', level === 'required' ? 'high' : 'low', event, {
          key: level,
          title: `${counted(missing.length, `${level} key data element`)} of ${eventName(event)} ${be(missing.length)} missing`,
          detail: `${processNameOf(event)} has no ${listed(missing.map(({ name, ref }) => (ref === null ? name : `${name} (${ref})`)))}.`,
          evidence: { missing: missing.map(({ path }) => path) },
          threshold: { level },
        }),
      ];
    });
  },
};

const isPresent = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0);

export const eventLate: Rule<EventFacts> = {
  type: 'EVENT_LATE',
  recommendation: 'Record events when they happen: late events are missing when a recall is traced.',
  reference: '21 CFR 1.1455',
  headline: (count, group) => `${eventsOf(count, group)} ${be(count)} recorded late`,
  judge(event, context) {
    if (event.eventTime === null) return [];
    const limit = newestMap(context, event.mapName)?.lateAfterSeconds ?? context.thresholds.lateAfterSeconds;
    const delay = secondsBetween(event.eventTime, event.recordTime);
    if (delay <= limit) return [];
    return [
      aboutEvent('EVENT_LATE', 'low', event, {
        title: `${eventName(event)} was recorded ${duration(delay)} late`,
        detail: `It happened at ${moment(event.eventTime)} and was recorded at ${moment(event.recordTime)}; the limit is ${duration(limit)}.`,
        evidence: { eventTime: event.eventTime.toISOString(), recordTime: event.recordTime.toISOString(), delaySeconds: delay },
        threshold: { lateAfterSeconds: limit },
      }),
    ];
  },
};

/** Dated before an input was made, or after its own recording: one of the clocks is wrong. */
export const eventOrder: Rule<EventFacts> = {
  type: 'EVENT_ORDER',
  recommendation: 'Correct the time of the event.',
  reference: null,
  headline: (count, group) => `${eventsOf(count, group)} ${be(count)} out of order`,
  judge: (event, { thresholds }) =>
    event.eventTime === null
      ? []
      : [...datedBeforeInput(event, event.eventTime), ...datedInFuture(event, event.eventTime, thresholds.futureSeconds)],
};

function datedBeforeInput(event: EventFacts, eventTime: Date): Finding[] {
  const [youngest] = event.inputs
    .filter((input) => input.madeAt !== null && input.madeAt > eventTime)
    .toSorted((a, b) => b.madeAt!.getTime() - a.madeAt!.getTime() || (a.tokenId < b.tokenId ? -1 : 1));
  if (!youngest) return [];
  return [
    aboutEvent('EVENT_ORDER', 'medium', event, {
      key: 'input',
      title: `${eventName(event)} is dated before its input was made`,
      detail: `It is dated ${moment(eventTime)}; ${youngest.tlc} was made at ${moment(youngest.madeAt!)}.`,
      evidence: {
        eventTime: eventTime.toISOString(),
        inputTokenId: Number(youngest.tokenId),
        inputTlc: youngest.tlc,
        inputMadeAt: youngest.madeAt!.toISOString(),
      },
      threshold: { inputMadeAt: youngest.madeAt!.toISOString() },
    }),
  ];
}

function datedInFuture(event: EventFacts, eventTime: Date, futureSeconds: number): Finding[] {
  const ahead = secondsBetween(event.recordTime, eventTime);
  if (ahead <= futureSeconds) return [];
  return [
    aboutEvent('EVENT_ORDER', 'medium', event, {
      key: 'future',
      title: `${eventName(event)} is dated after it was recorded`,
      detail: `It is dated ${moment(eventTime)}, ${duration(ahead)} after it was recorded.`,
      evidence: { eventTime: eventTime.toISOString(), recordTime: event.recordTime.toISOString(), aheadSeconds: ahead },
      threshold: { futureSeconds },
    }),
  ];
}

/**
 * An event that was confirmed with other values or by another sender than prepared, or that was not sent through this service. What is on
 * chain counts (docs/spec/domain.md#alerts), and the tenant must know.
 */
export const policyBreach: Rule<EventFacts> = {
  type: 'POLICY_BREACH',
  recommendation: 'Ask who signed the transaction; void the event if it did not happen that way.',
  reference: null,
  headline: (count, group) => `${eventsOf(count, group)} ${count === 1 ? 'differs' : 'differ'} from what was prepared`,
  judge: (event) => [
    ...(event.foreignSender === null ? [] : [signedByAnother(event, event.foreignSender)]),
    ...(event.calldataMismatch ? [anotherCall(event)] : event.resolved ? [] : [unknownContent(event)]),
  ],
};

const anotherCall = (event: EventFacts): Finding =>
  aboutEvent('POLICY_BREACH', 'high', event, {
    key: 'calldata',
    title: `${eventName(event)} differs from what was prepared`,
    detail: 'The confirmed transaction differs from the prepared one. The values on chain count.',
    evidence: { calldataMismatch: true },
    threshold: { calldataMismatch: false },
  });

function signedByAnother(event: EventFacts, { eventId, sender, preparedSender }: ForeignSender): Finding {
  const subject = eventId === event.id ? eventName(event) : `A correction of ${eventName(event)}`;
  const wanted = preparedSender === null ? 'by an organisation that did not sign it' : `for ${preparedSender}`;
  return aboutEvent('POLICY_BREACH', 'high', event, {
    key: 'sender',
    title: `${subject} was signed by another sender than it was prepared for`,
    detail: `It was prepared ${wanted}, and ${sender} signed it. It counts for who signed.`,
    evidence: { senderMismatch: true, eventId, sender, preparedSender },
    threshold: { senderMismatch: false },
  });
}

const unknownContent = (event: EventFacts): Finding =>
  aboutEvent('POLICY_BREACH', 'high', event, {
    key: 'content',
    title: `The content of ${eventName(event)} is unknown`,
    detail: 'It was sent to the contract without this service, and no stored content has its data hash.',
    evidence: { resolved: false },
    threshold: { resolved: true },
  });

/** As stored with the event. */
export interface UsedInput {
  readonly tokenId: number;
  readonly quantity: number | string | null;
  readonly uom: string | null;
}

/** Kilograms that an event used of a lot; null if its unit has no mass or the quantity is unknown. */
export function usedMass(
  lot: { readonly tokenId: number; readonly assetType: string | null },
  inputs: readonly UsedInput[],
  map: MapRules | null,
): number | null {
  const drawn = inputs.find((input) => Number(input.tokenId) === lot.tokenId);
  const unit = drawn?.uom ? kilogramsPer(drawn.uom, map?.assetTypes.get(lot.assetType ?? '')?.massPerUnitKg ?? undefined) : null;
  const quantity = drawn?.quantity ?? null;
  return unit === null || quantity === null ? null : unit.times(quantity).toNumber();
}
