import { type ChainProfile, type PrepareRequest, type PreparedCall, TransactionPreparer, encodeCall } from '#chain';
import { addressOf } from '#content-storage';
import { openContent, readEnvelope, type SealedContent } from '#envelope';
import type { TenantScope } from '#kernel';
import type { StoreContents } from '#sealed-contents';
import type { UnitOfWork } from '#persistence';
import type { EventReference } from '../contract-call.js';
import { DraftNote, EstimateCalls, PrepareCall } from '../prepare-call.js';

export const TEST_CONTRACT = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';

/** Encodes for real, estimates nothing, and refuses what the test says. */
export class EncodingChain extends TransactionPreparer {
  readonly requests: PrepareRequest[] = [];

  constructor(private readonly refuse: (request: PrepareRequest) => void = () => undefined) {
    super();
  }

  override async prepare(request: PrepareRequest): Promise<PreparedCall> {
    this.requests.push(request);
    this.refuse(request);
    const data = encodeCall(request.method, request.args);
    return {
      preparedTx: { to: request.contract, data, gasEstimate: 1, chainId: 31_337 },
      hints: { from: request.from, nonce: null, maxFeePerGas: null, maxPriorityFeePerGas: null },
      warnings: ['the chain says'],
    };
  }
}

/** A unit of work without a database: for use cases whose queries are given by the test. */
export function workWithoutDatabase(): UnitOfWork {
  const run = async (_scope: unknown, work: (tx: unknown) => unknown): Promise<unknown> => work({});
  return { inTransaction: run, inSnapshot: run } as unknown as UnitOfWork;
}

/** `PrepareCall` with what it stored, on a chain that the test gives. */
export function preparing(chain: TransactionPreparer): {
  readonly prepareCall: PrepareCall;
  readonly stored: Uint8Array[];
  /** The words of what was stored. */
  readonly notes: object[];
} {
  const stored: Uint8Array[] = [];
  const notes: object[] = [];
  const work = workWithoutDatabase();
  const putNote = async ({ tenantId }: TenantScope, { bytes, keys, hidden }: SealedContent) => {
    stored.push(bytes);
    notes.push(openContent(readEnvelope(bytes), { tenant: tenantId, keys, hidden, erased: [] }).content);
    return { addresses: [addressOf(bytes)], writeKeys: () => Promise.resolve() };
  };
  const contents = { putNote } as unknown as StoreContents;
  const profile = { chainId: 31_337 } as ChainProfile;
  const drafts = new DraftNote(contents, profile, { now: () => new Date(0) }, work, { take: async () => undefined });
  return { prepareCall: new PrepareCall(work, { contractOf: async () => TEST_CONTRACT }, drafts, new EstimateCalls(chain)), stored, notes };
}

export const TEST_EVENT: EventReference = {
  eventId: `0x${'1'.repeat(64)}`,
  processId: `0x${'3'.repeat(64)}`,
  dataHash: `0x${'2'.repeat(64)}`,
};
