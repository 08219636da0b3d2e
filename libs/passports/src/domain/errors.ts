import { refusal } from '#kernel';

/** Of every passport that is not shown, whatever the reason: nobody learns which lots there are. */
export const passportNotFound = refusal('passport_not_found', 404, () => 'There is no passport here.');

export const passportWithdrawn = refusal('passport_withdrawn', 410, () => 'This passport was withdrawn by who issued it.');

export const gtinMalformed = refusal(
  'gtin_malformed',
  400,
  () => 'A GTIN has 8, 12, 13 or 14 digits, the last one being the check digit of those before it.',
);

export const notAcceptable = refusal('not_acceptable', 406, (known: readonly string[]) => `This is answered as ${known.join(', ')}.`);

export const linkTypeUnknown = refusal(
  'link_type_unknown',
  404,
  (known: readonly string[]) => `There is no link of this type; there are: ${known.join(', ')}.`,
);

export const passportRecalled = refusal(
  'passport_recalled',
  409,
  () => 'The lot stands recalled: its passport is where whoever has it reads so. It can be withdrawn when the recall is lifted.',
);

export const integrityHidden = refusal('integrity_hidden', 404, () => 'Its issuer does not show the evidence of this passport.');

export const linkExpired = refusal('link_expired', 403, () => 'This link has expired, or it was changed. Ask for a new one.');

export const passportsOff = refusal('passports_off', 409, () => 'The tenant shows no passports: see PATCH /api/v1/passport-settings.');

export const notForPassports = refusal(
  'not_for_passports',
  409,
  () => 'A passport is for a lot whose making is final, whose words are known, and whose asset type has `passport: true`.',
);
