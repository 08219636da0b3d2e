import { type Problem, refusal } from '#kernel';

/** Why an event's effects cannot be taken back: a lot that it made was used since, or one that it used cannot get anything back. */
export interface Obstacle {
  readonly tokenId: number;
  readonly tlc: string;
  readonly role: 'output' | 'input';
  readonly reasons: readonly ('used' | 'retired' | 'recalled' | 'offered' | 'moved' | 'contained')[];
  /** Events that touched the lot since, newest first: to void before this one where it was only used. */
  readonly eventIds: readonly string[];
}

export const lotNotFound = refusal('lot_not_found', 404, (lot: string) => `No lot ${lot}.`);
export const eventNotFound = refusal('event_not_found', 404, (id: string) => `No event ${id}.`);
export const processMapNotFound = refusal('process_map_not_found', 404, (name: string) => `No process map ${name}.`);
export const processMapExists = refusal(
  'process_map_exists',
  409,
  (name: string, version: string) => `${name} ${version} is already published with other content; a published version never changes.`,
);
export const processMapOutdated = refusal(
  'process_map_outdated',
  409,
  (name: string, newest: string) => `${name} ${newest} is already published; a new version must be higher.`,
);
export const processTypeTaken = refusal(
  'process_type_taken',
  409,
  (processType: string, map: string) =>
    `The process type ${processType} belongs to the map ${map}; keys are unique over the tenant, ignoring case.`,
);
export const tlcTaken = refusal(
  'tlc_taken',
  409,
  (sentence: string, _errors: readonly Problem[]) => sentence,
  (_, errors) => ({ errors }),
);
/** Of an input: the request does not say which lot it means. */
export const tlcAmbiguous = refusal(
  'tlc_ambiguous',
  422,
  (sentence: string, _errors: readonly Problem[]) => sentence,
  (_, errors) => ({ errors }),
);
export const severalLots = refusal(
  'tlc_ambiguous',
  409,
  (tlc: string, _candidates: readonly object[]) =>
    `${tlc} is the code of several lots: give gtin, and serial for a single item, or the custodian of a part.`,
  (_, candidates) => ({ candidates }),
);
export const inputNotFinal = refusal(
  'input_not_final',
  409,
  (sentence: string, _errors: readonly Problem[]) => sentence,
  (_, errors) => ({ errors }),
);
export const notATransfer = refusal(
  'not_a_transfer',
  422,
  (processType: string) => `${processType} is not of kind transfer, so it cannot be attached to a custody call.`,
);
export const eventNotLanded = refusal(
  'event_not_landed',
  409,
  (id: string, status: string) => `Event ${id} is not on chain: it is ${status}. A prepared event is withdrawn with DELETE.`,
);
export const eventVoided = refusal('event_voided', 409, (id: string) => `Event ${id} is already voided.`);
export const notVoidable = refusal('event_not_voidable', 409, (sentence: string) => sentence);
export const eventInUse = refusal(
  'event_in_use',
  409,
  (obstacles: readonly Obstacle[]) => {
    const { tlc, role, reasons } = obstacles[0]!;
    const rest = obstacles.length === 1 ? '' : ` and ${obstacles.length - 1} more`;
    // A use can be undone by a void of its own; an offer, a move, a packing, a recall or a retirement cannot.
    const curable = obstacles.every((obstacle) => obstacle.reasons.every((reason) => reason === 'used'));
    const first = [...new Set(obstacles.flatMap(({ eventIds }) => eventIds))].slice(0, 5).join(', ');
    const way =
      curable && first !== ''
        ? `void ${first} first, or correct its content with supersede`
        : 'its content can be corrected with supersede';
    return `${role === 'output' ? 'Its output' : 'Its input'} ${tlc}${rest} was ${reasons.join(' and ')} since: ${way}.`;
  },
  (obstacles: readonly Obstacle[]) => ({ obstacles }),
);
export const notEntitled = refusal(
  'not_entitled',
  403,
  (from: string | null) =>
    `A correction counts only from the recorder of the event or from an admin of the contract; ${from ?? 'no sender'} is neither.`,
);
export const footprintIncomplete = refusal(
  'footprint_incomplete',
  422,
  (tokenId: bigint, by: string, _frontier: readonly bigint[]) =>
    `The tree of lot ${tokenId} goes beyond ${by}; a sum over a part of it would be wrong, so none is given.`,
  (_, by, frontier) => ({ truncatedBy: by, frontier: frontier.map(Number) }),
);
export const eventNotPrepared = refusal(
  'event_not_prepared',
  409,
  (id: string) => `Event ${id} is no longer only prepared, so it cannot be withdrawn; void an event that has landed.`,
);
export const eventOfOthers = refusal(
  'foreign_event',
  403,
  (id: string) => `Event ${id} was prepared by others; its organisation, COMPLIANCE or TENANT_ADMIN may withdraw it.`,
);
export const contentRestricted = refusal(
  'content_restricted',
  403,
  (id: string) =>
    `The stored content of event ${id} holds restricted values: its organisation, AUDITOR, COMPLIANCE and TENANT_ADMIN may read it.`,
);
export const contentNotFound = refusal('content_not_found', 404, (id: string) => `The content of event ${id} is not in the store.`);
export const contentCorrupt = refusal(
  'content_corrupt',
  502,
  (id: string) => `The stored bytes of event ${id} do not have the recorded hash.`,
);
export const asOfNotReached = refusal(
  'as_of_not_reached',
  422,
  (asOf: string, head: number) => `The chain has not reached ${asOf} yet: the last known block is ${head}.`,
);

export const treeIncomplete = refusal(
  'tree_incomplete',
  422,
  () => 'The tree of this lot exceeds 200 levels or 20,000 lots; a part of it would look complete.',
);

const ofPointers =
  (what: string) =>
  (errors: readonly Problem[]): string =>
    `${errors.length === 1 ? errors[0]!.pointer || 'This event' : `${errors.length} values`} cannot be erased: ${what}. Nothing was erased.`;

export const notSeparable = refusal(
  'not_separable',
  422,
  ofPointers('a class that is sealed as one text is erased as a whole, and contents of version 1 not at all'),
  (errors) => ({ errors }),
);
export const notErasable = refusal(
  'not_erasable',
  422,
  ofPointers('public values are in the clear for everybody, and the keys of contents from elsewhere are not here'),
  (errors) => ({ errors }),
);
export const neededForRecord = refusal(
  'needed_for_record',
  422,
  ofPointers('the mass balance, the footprint or the lineage of the record needs them'),
  (errors) => ({ errors }),
);
