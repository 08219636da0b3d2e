import { refusal } from '#kernel';

/** Links of one key that a tenant may have: a linkset is a page that people read. */
export const LINKS_OF_A_KEY = 100;

/** Grants of one passport, ended ones too. */
export const GRANTS_OF_A_PASSPORT = 1_000;

/** The same for every passport that is not shown, for any reason: nobody learns which lots exist. */
export const passportNotFound = refusal('passport_not_found', 404, () => 'There is no passport here.');

export const passportWithdrawn = refusal('passport_withdrawn', 410, () => 'This passport was withdrawn by its issuer.');

export const digitalLinkMalformed = refusal('digital_link_malformed', 400, (sentence: string) => sentence);

/** The same for every key, known or not: nobody learns which lots exist. */
export const digitalLinkNotFound = refusal('digital_link_not_found', 404, () => 'Nothing is linked to this key here.');

export const noGs1Key = refusal('no_gs1_key', 409, () => 'The lot has a code of its own and no key of GS1: its label has a QR code only.');

export const linkNotFound = refusal('link_not_found', 404, () => 'There is no such link.');

export const tooManyLinks = refusal(
  'quota_exceeded',
  429,
  (limit: number) => `A tenant may have ${limit} links, and ${LINKS_OF_A_KEY} of one key; delete one first.`,
);

export const notAcceptable = refusal('not_acceptable', 406, (known: readonly string[]) => `Available types: ${known.join(', ')}.`);

export const linkTypeUnknown = refusal(
  'link_type_unknown',
  404,
  (known: readonly string[]) => `There is no link of this type here. Link types: ${known.join(', ')}.`,
);

export const passportRecalled = refusal(
  'passport_recalled',
  409,
  () => 'The lot is recalled: holders of the goods must be able to read its passport. It can be withdrawn when the recall is lifted.',
);

export const integrityHidden = refusal('integrity_hidden', 404, () => 'The issuer of this passport does not show its evidence.');

export const linkExpired = refusal('link_expired', 403, () => 'This link has expired, or it was changed. Ask for a new one.');

export const passportsOff = refusal('passports_off', 409, () => 'The tenant shows no passports: see PATCH /api/v1/passport-settings.');

export const notForPassports = refusal(
  'not_for_passports',
  409,
  () => 'A lot can have a passport when the event that made it is final, its content is known, and its asset type has `passport: true`.',
);

export const versionNotFound = refusal('version_not_found', 404, (first: string) => `The first version of this passport is of ${first}.`);

export const productIdAmbiguous = refusal(
  'product_id_ambiguous',
  409,
  (paths: readonly string[]) => `Several tenants have a passport of this product. Add the tenant to the identifier: ${paths.join(', ')}.`,
);

export const elementNotFound = refusal('element_not_found', 404, () => 'The passport has no data element at this path.');

export const pathNotSingular = refusal(
  'path_not_singular',
  400,
  () =>
    "The path may select several elements, or the whole passport. Name one by a normalised path (RFC 9535 §2.7), like $['operator']['name'].",
);

export const pathMalformed = refusal(
  'path_malformed',
  400,
  () =>
    "This is not a path to a data element. Name it by a normalised path (RFC 9535 §2.7), like $['operator']['name'], percent-encoded once.",
);

export const representationNotWritable = refusal(
  'representation_not_writable',
  400,
  () => 'Passports are written in compressed representation only (EN 18223 clause 5.2).',
);

export const elementsUnknown = refusal(
  'elements_unknown',
  409,
  () => 'The content of the event that made the goods is not known here, so it cannot be changed.',
);

export const grantNotFound = refusal('grant_not_found', 404, () => 'This passport has no such grant.');

export const tooManyGrants = refusal('quota_exceeded', 429, () => `A passport may have ${GRANTS_OF_A_PASSPORT} grants.`);

export const grantUnknown = refusal('grant_unknown', 403, () => 'There is no such grant. Ask the issuer of the passport for one.');

export const grantForAnotherPassport = refusal('grant_for_another_passport', 403, () => 'This grant is for another passport.');

export const grantWithdrawn = refusal('grant_withdrawn', 403, () => 'This grant was withdrawn by the issuer of the passport.');

export const grantExpired = refusal('grant_expired', 403, (at: string) => `This grant expired at ${at}. Ask for a new one.`);

export const grantUsed = refusal(
  'grant_used',
  403,
  (at: string) => `This link opens the passport once, and did so at ${at}. Ask for a new one.`,
);

/** Of a server of a back-up, which has no database to ask again. */
export const backUpDamaged = refusal(
  'back_up_damaged',
  503,
  (path: string) => `The file ${path} of this back-up is not as it was written.`,
);

const atPlace = (pointer: string, code: string, message: string) => () => ({ errors: [{ pointer, code, message }] });
const sealRefusal = (code: string, pointer: string, message: string) => refusal(code, 422, () => message, atPlace(pointer, code, message));

export const sealCertificateMalformed = sealRefusal(
  'seal_certificate_malformed',
  '/certificateChain',
  'This is not a list of one to eight certificates in PEM.',
);
export const sealKeyMalformed = sealRefusal('seal_key_malformed', '/sealKey', 'This is not a private key in PEM without a passphrase.');
export const sealKeyMismatch = sealRefusal('seal_key_mismatch', '/sealKey', 'The key does not belong to the first certificate.');
export const sealKeyUnsupported = sealRefusal(
  'seal_key_unsupported',
  '/sealKey',
  'A seal needs a key on P-256, P-384 or P-521, or RSA of at least 2,048 bits.',
);
export const sealChainBroken = sealRefusal(
  'seal_chain_broken',
  '/certificateChain',
  'Each certificate must be followed by the one of the authority that issued it.',
);
const outOfTime = (code: string, sentence: (time: string) => string) =>
  refusal(code, 422, sentence, (time: string) => ({ errors: [{ pointer: '/certificateChain', code, message: sentence(time) }] }));
export const sealCertificateExpired = outOfTime('seal_certificate_expired', (time) => `A certificate was valid until ${time}.`);
export const sealCertificateNotYetValid = outOfTime('seal_certificate_not_yet_valid', (time) => `A certificate is valid from ${time} on.`);

const NO_REGISTRY_URL = 'An address must be an absolute https URL without user name, password or fragment.';
export const registryUrlInvalid = refusal(
  'registry_url_invalid',
  422,
  (_pointer: string) => NO_REGISTRY_URL,
  (pointer: string) => ({ errors: [{ pointer, code: 'registry_url_invalid', message: NO_REGISTRY_URL }] }),
);

export const registryNotSet = refusal('registry_not_set', 404, () => 'The tenant does not register its passports.');
