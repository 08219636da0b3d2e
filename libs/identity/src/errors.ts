import { refusal } from '#kernel';

export const invalidCredentials = refusal('invalid_credentials', 401, () => 'E-mail or password is wrong.');
export const unauthenticated = refusal('unauthenticated', 401, () => 'This route needs a bearer token or an API key.');
export const invalidToken = refusal('invalid_token', 401, () => 'The access token is not valid; log in again.');
export const tokenExpired = refusal('token_expired', 401, () => 'The access token has expired; refresh it.');
export const invalidApiKey = refusal('invalid_api_key', 401, () => 'The API key is unknown, expired or revoked.');
export const invalidRefreshToken = refusal('invalid_refresh_token', 401, () => 'The refresh token is not valid; log in again.');
export const refreshTokenReused = refusal(
  'refresh_token_reused',
  401,
  () => 'This refresh token was used before, so its session has ended.',
);
export const twoCredentials = refusal('two_credentials', 400, () => 'Send a bearer token or an API key, not both.');

export const siweMalformed = refusal('siwe_malformed', 400, (why: string) => `This is not an EIP-4361 message: ${why}.`);
export const siweAddressNotEip55 = refusal(
  'siwe_address_not_eip55',
  400,
  () => 'The address of the message must have its EIP-55 checksum; EIP-4361 requires it.',
);
export const siweWrongVersion = refusal('siwe_wrong_version', 401, () => 'The version of the message must be 1.');
export const siweWrongDomain = refusal('siwe_wrong_domain', 401, (domain: string) => `${domain} is not a domain of this service.`);
export const siweWrongUri = refusal('siwe_wrong_uri', 401, () => 'The URI of the message is not on a domain of this service.');
export const siweWrongChain = refusal('siwe_wrong_chain', 401, (chainId: number) => `The chain id of the message must be ${chainId}.`);
export const siweNotCurrent = refusal(
  'siwe_not_current',
  401,
  (field: string) => `${field} of the message is not valid now; create a new message.`,
);
export const siweInvalidSignature = refusal(
  'siwe_invalid_signature',
  401,
  () => 'The signature does not match the address in the message.',
);
export const siweForeignFactory = refusal(
  'siwe_foreign_factory',
  401,
  (factory: string) =>
    `An account of the factory ${factory} signs in when it is deployed; before that, only accounts of this service's factory do.`,
);
export const siweUnknownNonce = refusal('siwe_unknown_nonce', 401, () => 'The nonce is unknown, used or expired; request a new one.');
export const unknownWallet = refusal('unknown_wallet', 401, () => 'No active member has this wallet.');
export const walletOfSeveral = refusal(
  'wallet_of_several_users',
  409,
  () => 'This wallet belongs to different users in different tenants; name the tenant in tenantId.',
);

export const passkeyChallengeUnknown = refusal(
  'passkey_challenge_unknown',
  401,
  () => 'The challenge is unknown, used or expired; request a new one.',
);
export const passkeyWrongOrigin = refusal('passkey_wrong_origin', 401, () => 'The passkey was used on a page that is not of this service.');
export const passkeyWrongDomain = refusal('passkey_wrong_domain', 401, () => 'The passkey was used for another domain.');
export const passkeyNotVerified = refusal(
  'passkey_not_verified',
  401,
  () => 'The device did not verify its user; unlock it with your PIN, finger or face.',
);
export const passkeyInvalid = refusal('passkey_invalid', 401, () => 'This is not an answer that the passkey signed.');
export const passkeyUnknown = refusal('passkey_unknown', 401, () => 'No active member has this passkey.');
export const passkeyOfOtherTenant = refusal('passkey_of_other_tenant', 403, () => 'This passkey is for another tenant.');
export const passkeyCloned = refusal(
  'passkey_cloned',
  401,
  () => 'The signature counter of this passkey went back: there may be a copy of it. Sign in another way and delete it.',
);
export const passkeyMalformed = refusal('passkey_malformed', 400, () => 'This is not an answer of an authenticator (WebAuthn).');
export const passkeyUnsupported = refusal(
  'passkey_unsupported',
  422,
  () => 'This passkey does not sign with P-256 (ES256); use another device.',
);
export const passkeyTaken = refusal('passkey_taken', 409, () => 'This passkey is registered already.');
export const tooManyPasskeys = refusal(
  'too_many_passkeys',
  409,
  (most: number) => `You have ${most} passkeys, the most allowed; delete one first.`,
);
export const lastPasskey = refusal('last_passkey', 409, () => 'You have no password, so you must keep one passkey.');
export const sessionNotFound = refusal('session_not_found', 404, () => 'You have no such session, or it has ended.');
export const passkeyNotFound = refusal('passkey_not_found', 404, () => 'You have no such passkey.');
export const noPasskeyAccount = refusal('no_passkey_account', 409, () => 'Your wallet is no account that passkeys sign for.');
export const noAccountFactory = refusal(
  'no_account_factory',
  409,
  () => 'This chain has no factory of passkey accounts; the operator deploys it.',
);
export const accountKeyTaken = refusal('account_key_taken', 409, () => 'This passkey signs for the account already.');
export const accountKeyUnknown = refusal('account_key_not_found', 404, () => 'There is no such key of the account to change in this way.');
export const lastAccountKey = refusal('last_account_key', 409, () => 'An account keeps one key; add another one first.');
export const tooManyAccountKeys = refusal(
  'too_many_account_keys',
  409,
  (most: number) => `The account has ${most} keys, the most allowed; remove one first.`,
);
export const noOrganisationAccount = refusal('organisation_account_not_found', 404, () => 'This organisation has no account.');
export const organisationAccountExists = refusal('organisation_account_exists', 409, () => 'This organisation has its account already.');
export const removalNotReady = refusal(
  'removal_not_ready',
  409,
  () => 'Another owner is removed seven days after a proposal, if no owner has vetoed it.',
);
export const anotherAdminRequired = refusal('another_admin_required', 409, () => 'Another administrator must recover your account.');
export const noNewPasskey = refusal('no_new_passkey', 409, () => 'The recovery is not started, or the member has made no new passkey yet.');
export const recentSignInRequired = refusal(
  'recent_sign_in_required',
  403,
  () => 'Sign in again first: a passkey is added within ten minutes after signing in.',
);

export const wrongPassword = refusal('wrong_password', 401, () => 'The current password is wrong.');
export const invalidResetToken = refusal('invalid_reset_token', 404, () => 'This link is unknown, used or expired; request a new one.');

export const partialToken = refusal('partial_token', 403, () => 'This token has no tenant yet: call select-tenant first.');
export const tenantRequired = refusal('tenant_required', 403, () => 'A platform token is valid for platform routes only.');
export const bearerRequired = refusal('bearer_required', 403, () => 'This route takes a bearer token, not an API key.');
export const platformAdminRequired = refusal('platform_admin_required', 403, () => 'This route is for platform administrators.');
export const noMembership = refusal('no_membership', 403, () => 'You are not a member of any tenant.');
export const notAMember = refusal('not_a_member', 403, () => 'You are not a member of that tenant.');

export const tenantNotFound = refusal('tenant_not_found', 404, () => 'No such tenant.');
export const userNotFound = refusal('user_not_found', 404, () => 'No such user.');
export const memberNotFound = refusal('member_not_found', 404, () => 'No such member.');
export const organisationNotFound = refusal('organisation_not_found', 404, () => 'No such organisation.');
export const siteNotFound = refusal('site_not_found', 404, () => 'No such site.');

export const tenantHasNoContract = refusal('tenant_has_no_contract', 409, () => "The tenant's contract is not on chain yet.");
export const slugTaken = refusal('slug_taken', 409, (slug: string) => `The slug ${slug} is taken.`);
export const emailTaken = refusal('email_taken', 409, () => 'A user with this e-mail exists.');
export const walletTaken = refusal('wallet_taken', 409, (address: string) => `${address} belongs to somebody else in this tenant.`);
export const walletNotProposed = refusal(
  'wallet_not_proposed',
  409,
  (address: string) => `No administrator of this tenant has proposed ${address} as your wallet.`,
);
export const lastTenantAdmin = refusal('last_tenant_admin', 409, () => 'A tenant must keep at least one TENANT_ADMIN of every process.');
export const alreadyMember = refusal('already_member', 409, () => 'This user is a member already; change the membership instead.');
export const organisationNameTaken = refusal(
  'organisation_name_taken',
  409,
  (name: string) => `An organisation called ${name} exists already.`,
);
export const siteInUse = refusal('site_in_use', 409, () => 'This site has wallets; unbind them first.');
export const walletInUse = refusal('wallet_in_use', 409, () => 'This is the wallet of a member; change the member first.');
export const noMemberWallet = refusal('member_has_no_wallet', 409, () => 'This member has no wallet.');
export const noRegistry = refusal('no_registry', 409, () => 'No registry is deployed or configured, so no contract can be created.');
export const contractExists = refusal('contract_exists', 409, () => 'The tenant has its contract already.');

export const apiKeyNotFound = refusal('api_key_not_found', 404, () => 'No such API key.');
export const apiKeyRevoked = refusal('api_key_revoked', 409, () => 'This API key is revoked.');
export const walletNotFound = refusal('wallet_not_found', 404, () => 'No such wallet of this organisation.');
export const invitationNotFound = refusal('invitation_not_found', 404, () => 'This invitation is unknown, used or expired.');
export const notYourOrganisation = refusal('not_your_organisation', 403, () => 'You may change your own organisation only.');

export const passwordQueueFull = refusal(
  'too_many_logins',
  503,
  () => 'Too many passwords are being checked now; try again shortly.',
  () => ({ retryAfterSeconds: 1 }),
);

const HELD = {
  events: (limit: number) => `The tenant's tier allows ${limit} events a month; they are used up.`,
  bytes: (limit: number) => `The tenant's tier allows ${limit} bytes of stored content; they are used up.`,
  keys: (limit: number) => `The tenant's tier allows ${limit} API keys; revoke one first.`,
  subscriptions: (limit: number) => `The tenant's tier allows ${limit} webhook subscriptions; delete one first.`,
  members: (limit: number) => `The tenant's tier allows ${limit} members, with those who never accepted an invitation.`,
  organisations: (limit: number) => `The tenant's tier allows ${limit} organisations.`,
  sites: (limit: number) => `The tenant's tier allows ${limit} sites of an organisation; remove one first.`,
  wallets: (limit: number) => `The tenant's tier allows ${limit} wallets of an organisation, or of a member without one; unbind one first.`,
} as const;
/** The field of the request that there is no room for. */
const HELD_BY: Partial<Record<keyof typeof HELD, string>> = {
  keys: '/name',
  subscriptions: '/url',
  members: '/email',
  organisations: '/name',
  sites: '/name',
  wallets: '/address',
};
const quotaSentence = (quota: keyof typeof HELD, limit: number): string =>
  (HELD as Partial<typeof HELD>)[quota]?.(limit) ?? `The tenant's tier allows ${limit} ${quota}; they are used up.`;
export const quotaExceeded = refusal('quota_exceeded', 429, quotaSentence, (quota, limit) => {
  const pointer = HELD_BY[quota];
  const errors = pointer === undefined ? undefined : [{ pointer, code: 'quota_exceeded', message: quotaSentence(quota, limit) }];
  return { quota, limit, ...(errors && { errors }) };
});
export const unknownTier = refusal(
  'unknown_tier',
  422,
  (tier: string, known: readonly string[]) => `There is no tier ${tier}. The tiers are: ${known.join(', ')}.`,
);
