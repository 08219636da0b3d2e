import { Wallet } from 'ethers';
import { ROLES, type Role } from '#kernel';

/** What a scoped administrator may try to get more of. Every id is of the same tenant. */
export interface Targets {
  /** May do more than the administrators who try. */
  readonly widerKey: string;
  readonly widerMember: string;
  /** Within the scope of the administrators who try. */
  readonly narrowMember: string;
  readonly otherOrganisation: string;
  readonly webhook: string;
  /** A lot that was made in another process. */
  readonly otherLot: string;
  /** A new version of the tenant's whole map. */
  readonly map: object;
}

export interface Attempt {
  /** In the order of the parameters of the path. */
  readonly ids?: readonly string[];
  readonly body?: unknown;
  /** An actor who has this role for every process would gain nothing. */
  readonly gives?: Role;
}

/** Whatever the body: the guard refuses before it is read. */
export const WHOLE_TENANT = 'whole tenant';
type Row = readonly [routes: RegExp, what: typeof WHOLE_TENANT | { readonly noGain: string } | ((targets: Targets) => readonly Attempt[])];

export const SCOPE = 'RICE_MILLING';

/** Roles and scopes that go further than `SCOPE`. */
const WIDER_GRANTS: readonly { readonly roles: readonly Role[]; readonly roleScopes?: object; readonly gives: Role }[] = ROLES.flatMap(
  (role) =>
    [undefined, ['*'], ['RICE_*'], [SCOPE, 'RICE_HARVESTING']].map((scope) => ({
      roles: [role],
      // Without a list: every process. Named, because a change keeps what it does not name.
      roleScopes: scope ? { [role]: scope } : {},
      gives: role,
    })),
);
const widerGrants = (targets: Targets): readonly { readonly grants: object; readonly gives?: Role }[] => [
  ...WIDER_GRANTS.map(({ gives, ...grants }) => ({ grants, gives })),
  ...(['ADMIN', 'TENANT_ADMIN'] as const).map((role) => ({
    grants: { roles: [role], roleScopes: { [role]: [SCOPE] }, orgId: targets.otherOrganisation },
  })),
];

let invited = 0;
const wallet = (): string => Wallet.createRandom().address;

/** Every route of a tenant that changes something, and those that only an administrator reads. A route without a row fails the test. */
export const ROWS: readonly Row[] = [
  [
    /^POST \/api\/v1\/api-keys$/,
    (targets) => widerGrants(targets).map(({ grants, gives }) => ({ body: { name: 'wider', ...grants }, ...(gives && { gives }) })),
  ],
  [
    /^POST \/api\/v1\/api-keys\/:id\/rotate$/,
    ({ widerKey }) => [
      { ids: [widerKey], body: {} },
      { ids: [widerKey], body: { overlapSeconds: 60 } },
    ],
  ],
  [/^DELETE \/api\/v1\/api-keys\/:id$/, ({ widerKey }) => [{ ids: [widerKey] }]],
  [
    /^POST \/api\/v2\/members$/,
    (targets) =>
      widerGrants(targets).map(({ grants, gives }) => ({
        body: { email: `wider${invited++}@rice.example`, ...grants, wallet: wallet() },
        ...(gives && { gives }),
      })),
  ],
  [
    /^PATCH \/api\/v2\/members\/:id$/,
    (targets) => [
      ...widerGrants(targets).map(({ grants, gives }) => ({ ids: [targets.narrowMember], body: grants, ...(gives && { gives }) })),
      ...[{}, { wallet: wallet() }, { wallet: null }, { orgId: null }, { roles: ['OPERATOR'], roleScopes: { OPERATOR: [SCOPE] } }].map(
        (body) => ({
          ids: [targets.widerMember],
          body,
        }),
      ),
    ],
  ],
  [/^DELETE \/api\/v2\/members\/:id$/, ({ widerMember }) => [{ ids: [widerMember] }]],
  [/^POST \/api\/v2\/members\/:id\/grants\/prepare$/, ({ widerMember }) => [{ ids: [widerMember], body: {} }]],
  [/^POST \/api\/v2\/members\/:id\/wallet\/replace\/prepare$/, ({ widerMember }) => [{ ids: [widerMember], body: { wallet: wallet() } }]],
  [/^POST \/api\/v2\/members\/grants\/prepare$/, ({ widerMember }) => [{ body: { members: [widerMember] } }]],
  [/^POST \/api\/v2\/members\/:id\/recovery(\/prepare)?$/, ({ widerMember }) => [{ ids: [widerMember], body: {} }]],
  [/^POST \/api\/v1\/organisations\/:id\/account$/, ({ otherOrganisation }) => [{ ids: [otherOrganisation], body: { owners: [] } }]],
  [
    /^POST \/api\/v1\/organisations\/:id\/account\/owners\/prepare$/,
    ({ otherOrganisation, narrowMember }) => [{ ids: [otherOrganisation], body: { userId: narrowMember, change: 'add' } }],
  ],
  [/^POST \/api\/v1\/organisations\/:id\/account\/approvals\/prepare$/, ({ otherOrganisation }) => [{ ids: [otherOrganisation] }]],
  [
    /^POST \/api\/v1\/organisations\/:id\/account\/removal\/prepare$/,
    ({ otherOrganisation, narrowMember }) => [{ ids: [otherOrganisation], body: { userId: narrowMember } }],
  ],
  [/^PATCH \/api\/v1\/organisations\/:id$/, ({ otherOrganisation }) => [{ ids: [otherOrganisation], body: { name: 'Taken over' } }]],
  [/^POST \/api\/v1\/organisations\/:id\/sites$/, ({ otherOrganisation }) => [{ ids: [otherOrganisation], body: { name: 'Annexe' } }]],
  [/^POST \/api\/v1\/organisations\/:id\/wallets$/, ({ otherOrganisation }) => [{ ids: [otherOrganisation], body: { address: wallet() } }]],
  [/^DELETE \/api\/v1\/organisations\/:id\/(sites|wallets)\/:\w+$/, ({ otherOrganisation }) => [{ ids: [otherOrganisation, wallet()] }]],
  [/^POST \/api\/v1\/process-maps(\/validate)?$/, ({ map }) => [{ body: map }]],
  [
    /^POST \/api\/v1\/process-maps\/try$/,
    ({ map }) => [{ body: { document: map, processType: Object.keys((map as { processes: object }).processes)[0], metadata: {} } }],
  ],
  [
    /^POST \/api\/v1\/tx\/prepare$/,
    () =>
      [
        ['setRoles', { account: wallet(), roles: 31 }],
        ['proposeWallet', { from: wallet(), to: wallet() }],
        ['recall', { tokenId: 1, dataHash: `0x${'0'.repeat(64)}` }],
        ['pause', {}],
      ].map(([method, args]) => ({ body: { method, processId: `0x${'0'.repeat(64)}`, metadata: { args } } })),
  ],
  [/^(POST|DELETE) \/api\/v1\/reports\/alerts\/:alertId\/ack$/, () => [{ ids: ['00000000-0000-4000-8000-000000000000'], body: {} }]],
  [/^GET \/api\/v1\/webhooks\/topics$/, { noGain: 'the catalogue, the same for everybody' }],
  [/^\w+ \/api\/v1\/webhooks(\/:id.*)?$/, WHOLE_TENANT],
  [/^POST \/api\/v1\/organisations$|^PATCH \/api\/v1\/(rules|passport-settings|reports\/alerts\/limits)$/, WHOLE_TENANT],
  [/^POST \/api\/v1\/(passports\/:passportId\/(withdraw|reinstate|bundle-link|grants)|nfts\/:tokenId\/passport)$/, WHOLE_TENANT],
  [
    /^DELETE \/api\/v1\/passports\/:passportId\/grants\/:grantId$|^(PUT|DELETE) \/api\/v1\/registry-settings$|^POST \/api\/v1\/registrations\/outcomes$/,
    WHOLE_TENANT,
  ],
  [/^(POST|PATCH|DELETE) \/api\/v1\/links(\/:linkId)?$|^PATCH \/api\/v1\/sponsorship$/, WHOLE_TENANT],
  [/^POST \/api\/v1\/privacy\/(erasures|subjects|export)$|^DELETE \/v1\/dpps\/:dppId$/, WHOLE_TENANT],
  [/^(POST|DELETE) \/epcis\/:tenant\/queries(\/:queryName)?$/, WHOLE_TENANT],
  [/^\w+ \/epcis\/:tenant\/queries\/:queryName\/subscriptions(\/:id)?$|^DELETE \/epcis\/:tenant\/events\/:eventId$/, WHOLE_TENANT],
  [/^POST \/api\/v1\/nfts\/:tokenId\/release$/, ({ otherLot }) => [{ ids: [otherLot] }]],
  [
    /^POST \/api\/v1\/nfts\/:tokenId\/(hold|recall\/prepare|recall\/lift\/prepare)$/,
    ({ otherLot }) => [{ ids: [otherLot], body: { reason: 'Not theirs' } }],
  ],
  [/^POST \/api\/v1\/recalls\/:id\/release$/, { noGain: 'every lot that the recall flags and holds must be in the scope' }],
  [
    /^(POST \/api\/v1\/events\/(validate|prepare|prepare\/batch)|DELETE \/api\/v1\/events\/:id|POST \/api\/v1\/epcis\/capture)$/,
    { noGain: 'the process of each event must be in the scope' },
  ],
  [/^POST \/api\/v1\/events\/:id\/(void|supersede)\/prepare$/, { noGain: 'the process of the event must be in the scope' }],
  [/^POST \/api\/v1\/(custody\/prepare|nfts\/:tokenId\/retire\/prepare|tx\/track)$/, { noGain: 'who signs must hold the lot' }],
  [
    /^(POST \/epcis\/:tenant\/(capture|events)|\w+ \/api\/v1\/imports(\/:id(\/\w+)?)?|(POST|PATCH) \/v1\/dpps.*)$/,
    { noGain: 'the process of each event must be in the scope' },
  ],
  [
    /^(GET|POST|DELETE) \/api\/v1\/import-mappings(\/:id)?$/,
    { noGain: 'how columns are read; whose rows may be prepared is asked for each' },
  ],
  [/^(POST|DELETE) \/api\/v1\/documents(\/:id)?$/, { noGain: 'of the own organisation; others for who covers every process' }],
  [/^(PUT|POST|DELETE) \/api\/v1\/changes\/consumers\/:name(\/acknowledge)?$/, { noGain: "the caller's own places" }],
  [/^(POST|PUT) \/api\/v1\/notices\/(read|choices\/:topic)$/, { noGain: "the caller's own notices" }],
  [/^POST \/api\/v1\/tx\/relay$/, { noGain: 'a passkey of the caller signs what was prepared for the caller' }],
  [/^POST \/api\/v1\/recalls\/:id\/acknowledgements$/, { noGain: 'who answers must hold the lot' }],
  [/^POST \/api\/v1\/recall\/drills$/, { noGain: 'a drill reads what every member may read' }],
  [
    /^GET \/api\/v1\/(reports\/.*|audit|api-keys|registry-settings|registrations(\/batch)?|passports\/:passportId\/grants(\/:grantId)?)$|^GET \/api\/v2\/members(\/:id)?$/,
    { noGain: 'reading; no secret is shown' },
  ],
  [/^\w+ \/api\/v2\/auth\//, { noGain: "the caller's own session and credentials" }],
];
