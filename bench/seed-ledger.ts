import type { Hex } from '#kernel';
import { addressOf, canonicalBytes } from '#content-storage';
import type { LogWriter, MemoryContent } from '#traceability/testing';
import type { Dice } from './seed-dice.js';

/** A process of a published map, as far as the generator needs it. */
export interface ProcessKind {
  readonly map: string;
  readonly processType: string;
  /** What it makes, main output first; a longer list of amounts repeats the last one. */
  readonly makes: readonly { readonly assetType: string; readonly uom: string; readonly code: string }[];
  /** As on chain: 0 none, 1 packed into the output, 2 broken up. */
  readonly mode?: 0 | 1 | 2;
  /** kgCO2e that the event itself declares. */
  readonly carbon?: number;
}

/** A lot with its remaining quantity, in units of the lot. */
export interface Goods {
  readonly tokenId: bigint;
  left: number;
}

export interface Draw {
  readonly of: Goods;
  readonly amount: number;
}

const MICRO = 1_000_000;
const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 5, 6);

/** Writes the actions of companies as the logs of the contract and the content that the service would store. */
export class Ledger {
  lots = 0;
  edges = 0;
  private events = 0;
  private codes = 0;

  constructor(
    readonly book: LogWriter,
    private readonly content: MemoryContent,
    readonly dice: Dice,
    private readonly tenant: { readonly slug: string; readonly wallets: readonly string[] },
  ) {}

  /** The same company for the same number. */
  company(n: number): string {
    return this.tenant.wallets[n % this.tenant.wallets.length]!;
  }

  /** One event. @param amounts of the outputs; none for a process that makes nothing */
  record(process: ProcessKind, by: string, draws: readonly Draw[], amounts: readonly number[], expiresAt = 0n): Goods[] {
    const { mode = 0 } = process;
    const ordered = draws.toSorted((a, b) => Number(a.of.tokenId - b.of.tokenId));
    const outputs = amounts.map((amount, i) => this.output(process.makes[Math.min(i, process.makes.length - 1)]!, by, amount, expiresAt));
    const id = this.dice.uuid();
    this.book.record({
      id,
      processType: process.processType,
      actor: by,
      dataHash: this.store(id, process, ordered, outputs),
      mode,
      inputs: ordered.map(({ of }) => of.tokenId),
      consumed: mode === 0 ? ordered.map(({ amount }) => micro(amount)) : [],
      outputs,
    });
    if (mode === 0) for (const { of, amount } of ordered) of.left -= amount;
    this.lots += outputs.length;
    if (mode !== 2) this.edges += ordered.length * outputs.length;
    return outputs.map(({ tlc, amount }) => ({ tokenId: this.book.token(tlc), left: amount }));
  }

  handOver(goods: readonly Goods[], from: string, to: string): void {
    const tokenIds = goods.map(({ tokenId }) => tokenId);
    const offer = this.book.offer(tokenIds, from, to);
    this.book.accept(offer, tokenIds, from, to);
  }

  recall(goods: Goods, by: string): void {
    this.book.send('LotsRecalled', {
      actor: by,
      dataHash: addressOf(canonicalBytes({ recall: String(goods.tokenId) })).dataHash,
      tokenIds: [goods.tokenId],
    });
  }

  private output({ assetType, uom, code }: ProcessKind['makes'][number], custodian: string, amount: number, expiresAt: bigint) {
    const tlc = `${code}-2026-${(++this.codes).toString(36).toUpperCase().padStart(6, '0')}`;
    return { tlc, assetType, uom, custodian, amount, quantity: micro(amount), expiresAt };
  }

  /** The envelope of docs/spec/domain.md#process-maps. @returns its hash */
  private store(
    eventId: string,
    { map, processType, carbon }: ProcessKind,
    draws: readonly Draw[],
    outputs: readonly { readonly tlc: string; readonly assetType: string; readonly uom: string; readonly amount: number }[],
  ): Hex {
    const eventTime = new Date(START + (this.events++ % 320) * DAY_MS).toISOString();
    const bytes = canonicalBytes({
      v: 1,
      tenant: this.tenant.slug,
      chainId: this.book.chainId,
      contract: this.book.contract,
      eventId,
      processType,
      processMap: map,
      processMapVersion: '1.0.0',
      inputTokenIds: draws.map(({ of }) => Number(of.tokenId)),
      outputTlc: outputs[0]?.tlc ?? null,
      outputs: outputs.map(({ tlc, assetType, uom }) => ({ tlc, assetType, uom })),
      metadata: {
        eventTime,
        eventTimeZoneOffset: '+07:00',
        location: { name: `Site ${this.events % 500}`, country: 'VN' },
        ...(outputs[0] && { quantity: { value: outputs[0].amount, uom: outputs[0].uom } }),
        ...(carbon !== undefined && {
          footprint: { boundary: 'gate_to_gate', gwp: 'AR6', carbon: { value: carbon, unit: 'kgCO2e', source: 'measured' } },
        }),
      },
    });
    void this.content.put(bytes);
    return addressOf(bytes).dataHash;
  }
}

const micro = (amount: number): bigint => BigInt(Math.round(amount * MICRO));
