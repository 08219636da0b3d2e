import { type ChainProfile, JsonRpc } from '#chain';
import type { Clock } from '#kernel';
import type { UnitOfWork } from '#persistence';
import {
  LocalSigner,
  RelaysQueries,
  ResendTransactions,
  RunSponsor,
  SendRelays,
  SponsorClient,
  SponsorTransactionsQueries,
  StorePlan,
  TrackedQueries,
  type WithdrawRelay,
} from '#transactions/testing';

export const CHAIN_ID = 31_337;
export const REPLACE_AFTER_MS = 30_000;

/** A process that dies after it has stored what it sends, and before it sends it, where `dies` says so. */
export class MortalClient extends SponsorClient {
  dies = false;

  override async send(raws: readonly string[]): Promise<readonly string[]> {
    if (this.dies) throw new Error('killed');
    return super.send(raws);
  }
}

export interface SponsorParts {
  readonly unitOfWork: UnitOfWork;
  /** Of the node. */
  readonly url: string;
  /** 0x and 64 hex digits. */
  readonly privateKey: string;
  readonly clock: Clock;
  /** Gets the ids of relays that will not land. */
  readonly onGivenUp?: (relayId: string) => void;
}

/** The sponsor on a real node and a real database, without the rest of the service. */
export function sponsorOf({ unitOfWork, url, privateKey, clock, onGivenUp = () => undefined }: SponsorParts): {
  readonly client: MortalClient;
  readonly run: RunSponsor;
} {
  const chain = { chainId: CHAIN_ID, confirmations: 1 } as ChainProfile;
  const [relays, signer] = [new RelaysQueries(), new LocalSigner(privateKey)];
  const client = new MortalClient(new JsonRpc({ urls: [url], timeoutMs: 20_000 }));
  const ledger = new SponsorTransactionsQueries(signer, chain, clock);
  const withdraw = { withdraw: async (_: unknown, { id }: { id: string }) => onGivenUp(id) } as unknown as WithdrawRelay;
  const plans = new StorePlan(unitOfWork, ledger, relays, new TrackedQueries(), withdraw);
  const resend = new ResendTransactions(signer, chain, { pollMs: 10, replaceAfterMs: REPLACE_AFTER_MS });
  return { client, run: new RunSponsor(client, resend, new SendRelays(relays, client, signer, chain), plans) };
}
