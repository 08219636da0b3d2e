import { type Problem, refusal } from '#kernel';

export const lotNotFound = refusal('lot_not_found', 404, (tokenId: bigint) => `No lot ${tokenId}.`);
export const recallNotFound = refusal('recall_not_found', 404, (id: string) => `No recall ${id}.`);
export const drillNotFound = refusal('drill_not_found', 404, (id: string) => `No drill ${id}.`);
export const alreadyRecalled = refusal(
  'already_recalled',
  409,
  (tokenId: bigint) => `Lot ${tokenId} is recalled already, and so is everything that this recall would reach.`,
);
export const notRecalled = refusal('not_recalled', 409, (tokenId: bigint) => `Lot ${tokenId} is not recalled.`);
export const notHeld = refusal('not_held', 409, (tokenId: bigint) => `Lot ${tokenId} is not on hold.`);
export const lotNotFinal = refusal(
  'input_not_final',
  409,
  (tokenId: bigint) => `Lot ${tokenId} is not final yet: after a reorganisation its number could mean another lot.`,
);
export const reachIncomplete = refusal(
  'reach_incomplete',
  422,
  (tokenId: bigint, by: string, _frontier: readonly bigint[]) =>
    `What lot ${tokenId} affects goes beyond ${by}: a recall of a part of it would leave the rest unseen. Recall it without propagation, and its descendants by themselves.`,
  (_, by, frontier) => ({ truncatedBy: by, frontier: frontier.map(Number) }),
);
export const reportTooLarge = refusal(
  'report_too_large',
  422,
  () => 'The report of this recall is too large to be drawn. Its answers are at /api/v1/recalls/{id}/acknowledgements.',
);
export const nothingToDraw = refusal('nothing_to_draw', 409, () => 'There is no live lot to draw for a drill.');
export const recallIsOver = refusal(
  'recall_is_over',
  409,
  (id: string) => `All lots of recall ${id} were lifted: there is nothing to acknowledge.`,
);
const NOT_THE_HOLDER = 'No wallet of yours or of your organisation holds this lot.';
export const notTheHolder = refusal(
  'not_the_holder',
  403,
  (_places: readonly number[]) => 'A lot is acknowledged by who holds it, or by OPERATOR or ADMIN of the organisation that does.',
  (places) => ({
    errors: places.map((i): Problem => ({ pointer: `/lots/${i}/tokenId`, code: 'not_the_holder', message: NOT_THE_HOLDER })),
  }),
);
