import { Injectable } from '@nestjs/common';
import { ChainProfile, batchDigest, keyIdOf, passkeyAccount } from '#chain';
import { type AccountPasskey, PasskeyAccounts } from '#identity';
import type { Actor } from '#kernel';
import { Span } from '#tracing';
import { notSponsorable, sponsorshipExhausted } from '../errors.js';
import { AccountClient, gasLimitFor } from './account.client.js';
import { type Assertion, compactOf, isSignedBy, readAssertion } from './assertion.js';
import { ReserveRelay } from './reserve-relay.js';
import type { Relayed, RelayRequest, Reservation, SignedBatch } from './store-relay.js';

/** What a batch adds to the estimates of its calls, and the deployment of an account; with room. */
const BATCH_GAS = 80_000n;
const DEPLOY_GAS = 250_000n;
/** Room for gas that becomes dearer until a block has it: the sponsor never pays more than is reserved. */
const PRICE_ROOM = 2n;

/**
 * Takes calls that a passkey signed, for the sponsor to send. The calldata is made here, from what was prepared for this account: a request
 * cannot bring any of its own.
 */
@Injectable()
export class RelayCalls {
  constructor(
    private readonly accounts: PasskeyAccounts,
    private readonly chain: ChainProfile,
    private readonly reserve: ReserveRelay,
    private readonly client: AccountClient,
  ) {}

  /** @throws DomainError 422 `not_sponsorable`, `gas_limit_exceeded`, what the contract refuses; 429 `sponsorship_exhausted` */
  @Span('relay calls')
  async relay(actor: Actor, request: RelayRequest): Promise<Relayed> {
    const known = await this.accounts.of(actor, request.account);
    if (!known) throw notSponsorable('no_account');
    const assertion = readAssertion(request.credential);
    const passkey = assertion && known.passkeys.find(({ id }) => id === assertion.id);
    if (!passkey) throw notSponsorable(assertion ? 'unknown_passkey' : 'invalid_assertion');
    const batch = await this.verified({ actor, ...known, passkey, request }, assertion);
    await this.checkUse(actor, passkey, assertion);
    return this.reserve.take(batch, await this.reservation(batch));
  }

  /** What the account on chain cannot check. */
  private async checkUse(actor: Actor, passkey: AccountPasskey, { origin, counter }: Assertion): Promise<void> {
    if (origin === null || !this.accounts.isOwnOrigin(origin)) throw notSponsorable('wrong_origin');
    if (!(await this.accounts.countUse(actor, passkey, counter))) throw notSponsorable('passkey_cloned');
  }

  private async verified(of: Omit<SignedBatch, 'calls' | 'data' | 'sponsor'>, assertion: Assertion): Promise<SignedBatch> {
    const { actor, account, passkey, request } = of;
    const { calls, sponsor } = await this.reserve.find(actor, account, request);
    const { lane, sequence, deadline } = request;
    const signed = { key: passkey.key, lane, sequence, deadline, calls: calls.map(({ to, data }) => ({ to, data })) };
    const digest = batchDigest(account.address, this.chain.chainId, signed);
    if (!isSignedBy(passkey.key, digest, assertion)) throw notSponsorable('invalid_assertion');
    const { x, y } = passkey.key;
    const data = passkeyAccount.encodeCall('execute', [{ x, y }, lane, sequence, deadline, signed.calls, compactOf(digest, assertion)])!;
    return { ...of, calls, data, sponsor };
  }

  /**
   * The most that it can cost: the sponsor estimates it when it is its time. What depends on a batch before it, or on the deployment, is tried
   * only then.
   */
  private async reservation({ account, passkey, calls, data, sponsor, request }: SignedBatch): Promise<Reservation> {
    const keyId = keyIdOf(passkey.key);
    const call = { from: sponsor.address, to: account.address, data };
    const { fees, deployed, places, refused } = await this.client.tryBatch(account, [{ keyId, lane: request.lane }], call);
    const { next, signs } = places[0]!;
    // Nobody pays for the deployment of an account for which this passkey will not sign.
    if (!signs) throw notSponsorable('passkey_not_added');
    const refusal = deployed && next === request.sequence ? refused() : null;
    if (refusal) throw refusal;
    const gas = calls.reduce((sum, { gas: each }) => sum + BigInt(each), BATCH_GAS);
    const price = fees.maxFee * PRICE_ROOM;
    const [batchWei, deployWei] = [gasLimitFor(gas) * price, deployed ? 0n : DEPLOY_GAS * price];
    if (batchWei + deployWei > sponsor.balance) throw sponsorshipExhausted('sponsor', 60);
    return { batchWei, deployWei, next };
  }
}
