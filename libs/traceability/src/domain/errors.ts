import { type Problem, refusal } from '#kernel';

export const lotNotFound = refusal('lot_not_found', 404, (lot: string) => `No lot ${lot}.`);
export const eventNotFound = refusal('event_not_found', 404, (id: string) => `No event ${id}.`);
export const processMapNotFound = refusal('process_map_not_found', 404, (name: string) => `No process map ${name}.`);
export const processMapExists = refusal(
  'process_map_exists',
  409,
  (name: string, version: string) => `${name} ${version} is published already with other content; a published version never changes.`,
);
export const processMapOutdated = refusal(
  'process_map_outdated',
  409,
  (name: string, newest: string) => `${name} ${newest} is published already; a new version must be higher.`,
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
export const inputNotFinal = refusal(
  'input_not_final',
  409,
  (sentence: string, _errors: readonly Problem[]) => sentence,
  (_, errors) => ({ errors }),
);
export const notATransfer = refusal(
  'not_a_transfer',
  422,
  (processType: string) => `${processType} is not of kind transfer, so it cannot ride on a custody call.`,
);
export const footprintIncomplete = refusal(
  'footprint_incomplete',
  422,
  (tokenId: bigint, by: string, _frontier: readonly bigint[]) =>
    `The tree of lot ${tokenId} goes beyond ${by}; a sum over a part of it would be wrong, so there is none.`,
  (_, by, frontier) => ({ truncatedBy: by, frontier: frontier.map(Number) }),
);
