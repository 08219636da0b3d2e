import { PasskeyRelay, PasskeySigner, type RelayableCall, type RelayReceipt, TraceabilityClient } from '#client';
import { CreateTenant, InviteMember, OPERATOR } from '#identity';
import { type ScenarioEvent, readScenario } from '../../apps/cli/src/demo/scenario.js';
import { Authenticator, type Ceremony } from '../harness/authenticator.js';
import type { World } from '../harness/world.js';
import { type Json, administrator } from './rice-trade.js';

export type Prepared = Json & RelayableCall;

export interface Joined {
  readonly userId: string;
  readonly api: TraceabilityClient;
  readonly with: Authenticator;
}

/** What is handed to the service without the client's care. */
export interface Handed {
  readonly lane?: number;
  readonly sequence?: number;
  readonly deadline?: number;
  readonly account?: string;
  readonly chainId?: number;
  readonly by?: Authenticator;
  /** Whose account it is signed for, and who sends it. */
  readonly api?: TraceabilityClient;
}

export const reasonOf = (sent: Promise<unknown>): Promise<string> =>
  sent.then(
    () => 'taken',
    (problem: { body: Json }) => `${problem.body['status']} ${problem.body['reason'] ?? problem.body['of'] ?? problem.body['code']}`,
  );

/** Members of the rice chain who have a passkey, and neither a private key nor a coin. */
export class PasskeyMembers {
  /** What their devices answer, where it is not what was asked. */
  attack: Ceremony = {};
  private harvests = 0;

  constructor(
    private readonly world: World,
    /** Starts their lots' codes, two letters. */
    private readonly codes: string,
  ) {}

  get origin(): { readonly origin: string } {
    return { origin: `http://${this.world.service.config.siwe.domains[0]}` };
  }

  /** Accepts an invitation with a new passkey. */
  async accepts(email: string, made = new Authenticator(), slug = 'rice'): Promise<Joined> {
    const { app } = this.world.service;
    const tenant = await app.get(CreateTenant, { strict: false }).find(slug);
    const given = { email, roles: ['OPERATOR'] } as const;
    const { userId, invitation } = await app
      .get(InviteMember, { strict: false })
      .add(tenant!.id, { ...given, roles: ['OPERATOR'] }, OPERATOR);
    const anonymous = new TraceabilityClient(this.world.baseUrl);
    const { token } = invitation!;
    const { publicKey } = await anonymous.post<Json>('/api/v2/auth/invitations/passkey/options', { token });
    const response = made.create(publicKey as never, this.origin);
    const session = await anonymous.post<Json>('/api/v2/auth/invitations/passkey/verify', { token, response, name: 'Phone' });
    return { userId, api: new TraceabilityClient(this.world.baseUrl, { accessToken: session.accessToken }), with: made };
  }

  /** And gets the rights of an operator. */
  async joins(email: string, made?: Authenticator): Promise<Joined & { readonly wallet: string }> {
    const joined = await this.accepts(email, made);
    return { ...joined, wallet: await this.granted(joined.userId) };
  }

  /** @returns the wallet */
  async granted(userId: string): Promise<string> {
    const granting = await administrator(this.world, 'rice');
    const { preparedTxs } = await granting.api.post<Json>(`/api/v2/members/${userId}/grants/prepare`);
    for (const { preparedTx } of preparedTxs) await granting.sender.sendAndWait(preparedTx);
    return (await granting.api.get<Json>(`/api/v2/members/${userId}`)).wallet;
  }

  signing(api: TraceabilityClient, by: Authenticator): PasskeyRelay {
    return new PasskeyRelay(
      api,
      ({ publicKey }) =>
        Promise.resolve(by.get({ challenge: String(publicKey['challenge']), rpId: 'localhost' }, { ...this.origin, ...this.attack })),
      by.id,
    );
  }

  prepare(api: TraceabilityClient, outputTlc = `RH-20260915-${this.codes}${(this.harvests += 1)}`): Promise<Prepared> {
    const { processType, metadata } = readScenario('rice').steps[0] as ScenarioEvent;
    return api.post('/api/v1/events/prepare', { processType, metadata, inputTokenIds: [], outputTlc });
  }

  /** What the client refuses to sign, or signs for another place: straight to the service. */
  async handed(calls: readonly Prepared[], of: Handed & Pick<Joined, 'api' | 'with'>): Promise<RelayReceipt> {
    return of.api.post('/api/v1/tx/relay', await this.body(calls, of));
  }

  async body(calls: readonly Prepared[], of: Handed & Pick<Joined, 'api' | 'with'>): Promise<Json> {
    const { account, chainId, api, by = of.with, lane = 6, sequence = 0 } = of;
    const now = await api.get<Json>('/api/v1/tx/relay');
    const place = { lane, sequence, deadline: of.deadline ?? Math.floor(Date.parse(now.now) / 1_000) + 300 };
    const signer = new PasskeySigner({ address: now.address, chainId: chainId ?? now.chainId, key: now.keys[0] });
    const digest = signer.digestOf(
      calls.map(({ preparedTx }) => preparedTx),
      place,
    );
    const challenge = Buffer.from(digest.slice(2), 'hex').toString('base64url');
    const credential = by.get({ challenge, rpId: 'localhost' }, { ...this.origin, ...this.attack });
    return { account, prepared: calls.map(({ hints }) => hints.preparedId), assertion: { ...place, credential } };
  }
}
