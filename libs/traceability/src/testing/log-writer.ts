import { type Hex, ZERO_BYTES32, eventIdBytes, keccakOf } from '#kernel';
import type { BlockRef, ContractLog, LogBatch, TenantLotsEventName, TenantLotsEvents } from '#chain';

/** Of process and asset types: few words, over and over. */
const hashes = new Map<string, Hex>();

function wordHash(word: string): Hex {
  const known = hashes.get(word) ?? keccakOf(word);
  hashes.set(word, known);
  return known;
}

export const MAX_UINT256 = (1n << 256n) - 1n;

interface Output {
  readonly tlc: string;
  /** Absent: of the code itself. */
  readonly tlcHash?: Hex;
  readonly assetType?: string;
  readonly custodian: string;
  /** Millionths; 0 or absent = unmeasured. */
  readonly quantity?: bigint;
  readonly expiresAt?: bigint;
}

interface RecordedCall {
  /** UUID. */
  readonly id: string;
  readonly processType: string;
  readonly actor: string;
  readonly dataHash?: Hex;
  readonly mode?: 0 | 1 | 2;
  readonly inputs?: readonly bigint[];
  readonly consumed?: readonly bigint[];
  readonly outputs?: readonly Output[];
}

/** Writes logs as the tenant's contract would: numbers blocks, logs and lots. It checks no rule. */
export class LogWriter {
  readonly logs: ContractLog[] = [];
  private block = 1;
  private logIndex = 0;
  private txLogIndex = 0;
  private transactions = 0;
  private header: BlockRef;
  private txHash: Hex = ZERO_BYTES32;
  private tokens = 0n;
  private offers = 0n;
  private readonly mints = new Map<string, bigint>();

  constructor(
    readonly contract: string,
    readonly chainId = 31_337,
    /** Another value gives other block hashes: what came instead after a reorg. */
    private readonly fork = '',
  ) {
    this.header = this.headerOf(this.block);
  }

  get blockNumber(): number {
    return this.block;
  }

  token(tlc: string): bigint {
    const token = this.mints.get(tlc);
    if (token === undefined) throw new Error(`no lot ${tlc} in this book`);
    return token;
  }

  mine(): this {
    this.block++;
    this.logIndex = 0;
    this.header = this.headerOf(this.block);
    return this;
  }

  /** Logs from one block on, as the indexer hands them over. */
  batch(from = 1, to = this.block): LogBatch {
    const logs = this.logs.filter((log) => log.block.number >= from && log.block.number <= to);
    return { chainId: this.chainId, contract: this.contract, logs };
  }

  /** Forgets what is written, for who hands over each batch once; the numbers go on. */
  nextBatch(): this {
    this.logs.length = 0;
    return this.mine();
  }

  record(call: RecordedCall): this {
    return this.transaction(() => this.recorded(call));
  }

  offer(tokenIds: readonly bigint[], from: string, to: string): bigint {
    this.offers++;
    const offerNo = this.offers;
    this.transaction(() => this.log('CustodyOffered', { offerNo, from, to, tokenIds, eventId: ZERO_BYTES32, dataHash: ZERO_BYTES32 }));
    return offerNo;
  }

  accept(offerNo: bigint, tokenIds: readonly bigint[], from: string, to: string, attached?: RecordedCall): this {
    return this.transaction(() => {
      if (attached) this.recorded({ ...attached, inputs: tokenIds });
      const eventId = attached ? eventIdBytes(attached.id) : ZERO_BYTES32;
      this.log('CustodyAccepted', { offerNo, from, to, tokenIds, eventId, dataHash: attached?.dataHash ?? ZERO_BYTES32 });
    });
  }

  /** The lot loses a part, which is a lot of its own from then on. @returns the part */
  split(tokenId: bigint, quantity: bigint): bigint {
    const partId = ++this.tokens;
    this.send('LotSplit', { tokenId, partId, quantity, reason: 0 });
    return partId;
  }

  send<Name extends TenantLotsEventName>(name: Name, args: TenantLotsEvents[Name]): this {
    return this.transaction(() => this.log(name, args));
  }

  private recorded(call: RecordedCall): void {
    const outputs = call.outputs ?? [];
    const firstOutputId = this.tokens + 1n;
    this.log('EventRecorded', {
      eventId: eventIdBytes(call.id),
      processId: wordHash(call.processType),
      actor: call.actor,
      dataHash: call.dataHash ?? keccakOf(`content of ${call.id}`),
      containmentMode: call.mode ?? 0,
      inputTokenIds: call.inputs ?? [],
      consumed: call.consumed ?? [],
      firstOutputId,
      outputCount: outputs.length,
    });
    for (const output of outputs) {
      this.tokens++;
      this.mints.set(output.tlc, this.tokens);
      this.log('LotMinted', {
        tokenId: this.tokens,
        eventId: eventIdBytes(call.id),
        tlcHash: output.tlcHash ?? keccakOf(output.tlc),
        custodian: output.custodian,
        quantity: output.quantity ?? 0n,
        assetType: wordHash(output.assetType ?? 'GOODS'),
        expiresAt: output.expiresAt ?? 0n,
      });
    }
  }

  private transaction(write: () => void): this {
    this.transactions++;
    this.txLogIndex = 0;
    this.txHash = keccakOf(`transaction ${this.transactions}`);
    write();
    return this;
  }

  private headerOf(number: number): BlockRef {
    return { number, hash: keccakOf(`block ${number}${this.fork}`), timestamp: new Date(Date.UTC(2026, 8, 1) + number * 1000) };
  }

  private log<Name extends TenantLotsEventName>(name: Name, args: TenantLotsEvents[Name]): void {
    this.logs.push({
      name,
      args,
      contract: this.contract,
      block: this.header,
      txHash: this.txHash,
      logIndex: this.logIndex++,
      txLogIndex: this.txLogIndex++,
    } as ContractLog);
  }
}
