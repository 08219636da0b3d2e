import { refusal } from '#kernel';

const list = (tokenIds: readonly bigint[]): string => tokenIds.join(', ');

export const lotsNotFound = refusal(
  'lot_not_found',
  404,
  (missing: readonly bigint[]) => `No lot ${list(missing)}.`,
  (missing) => ({ tokenIds: missing.map(Number) }),
);
export const noOpenOffer = refusal(
  'no_open_offer',
  409,
  (tokenIds: readonly bigint[]) => `No offer is open for lot ${list(tokenIds)}.`,
  (tokenIds) => ({ tokenIds: tokenIds.map(Number) }),
);
export const noPartsInContract = refusal(
  'no_parts_in_contract',
  422,
  () => 'The contract of this tenant is older than version 3 and cannot split lots: offer and accept them whole.',
);
export const lotsNotFinal = refusal(
  'input_not_final',
  409,
  (tokenIds: readonly bigint[]) => `Lot ${list(tokenIds)} is not final yet: after a reorganisation its number could mean another lot.`,
  (tokenIds) => ({ tokenIds: tokenIds.map(Number) }),
);
