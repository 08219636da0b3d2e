import { ALL } from '../lots/lot.js';
import { LotKey, ZERO_ADDRESS, checksumAddress, keccakOf } from '#kernel';
import type { NamedLot } from '../process-maps/event-reading.js';
import type { ExaminedEvent } from '../events/rules/event.rules.js';

/** A lot as a scenario would have it: goods in the hands of `custodian`, final, nothing else known. */
export function lotOf(tokenId: number, facts: Partial<NamedLot> = {}): NamedLot {
  const tlc = facts.tlc ?? `LOT-${tokenId}`;
  const key = LotKey.of({ tlc, ...facts });
  return {
    tokenId: BigInt(tokenId),
    tlc,
    tlcHash: key.hash,
    key: key.text,
    gtin: null,
    serial: null,
    resolved: true,
    assetType: null,
    processMapName: null,
    status: 'active',
    custodian: ZERO_ADDRESS,
    pendingCustodian: null,
    offerNo: null,
    containerTokenId: null,
    isContainer: false,
    recalled: false,
    holdsRecalled: false,
    onHold: false,
    mintEventId: '00000000-0000-4000-8000-000000000000',
    mintBlock: 1,
    quantity: null,
    remaining: null,
    uom: null,
    expiresAt: null,
    depth: 0,
    recallAffected: false,
    heldInside: null,
    madeAt: null,
    gwp: null,
    ...facts,
  };
}

/** Plays what examined events would do on chain, so that a scenario can be validated one event after another without a chain. */
export class ScenarioLots {
  private readonly lots = new Map<string, NamedLot>();

  byTlc(tlc: string): NamedLot {
    const lot = this.lots.get(tlc);
    if (!lot) throw new Error(`no lot ${tlc}`);
    return lot;
  }

  all(): readonly NamedLot[] {
    return [...this.lots.values()];
  }

  set(lot: NamedLot): void {
    this.lots.set(lot.tlc, lot);
  }

  move(tlc: string, custodian: string): void {
    this.set({ ...this.byTlc(tlc), custodian, pendingCustodian: null, status: 'active' });
  }

  offer(tlc: string, pendingCustodian: string): void {
    this.set({ ...this.byTlc(tlc), pendingCustodian, status: 'in_transit' });
  }

  land(event: ExaminedEvent): void {
    const { process, map } = event.published;
    const firstId = this.lots.size + 1;
    for (const { input, amount } of event.draws) {
      const lot = input.lot!;
      if (process.kind === 'aggregation') this.set({ ...lot, status: 'aggregated', containerTokenId: BigInt(firstId) });
      else if (process.kind === 'disaggregation') this.unpack(lot);
      else if (process.kind === 'disposal') this.set({ ...lot, status: 'retired' });
      else if (amount === ALL) this.set({ ...lot, status: 'consumed' });
      else if (lot.remaining !== null)
        this.set({ ...lot, remaining: lot.remaining - amount, status: lot.remaining === amount ? 'consumed' : 'active' });
    }
    for (const [i, output] of event.outputs.entries())
      this.set(
        lotOf(firstId + i, {
          tlc: output.tlc,
          gtin: output.gtin,
          serial: output.serial,
          key: output.key.text,
          tlcHash: output.key.hash,
          assetType: output.assetType,
          processMapName: map.name,
          custodian: output.custodian,
          isContainer: process.kind === 'aggregation',
          depth: process.kind === 'aggregation' ? 1 : 0,
          quantity: output.quantity,
          remaining: output.quantity,
          uom: output.uom,
          expiresAt: output.expiresAt,
          madeAt: event.reading.eventTime,
          gwp: event.reading.gwp,
        }),
      );
  }

  private unpack(container: NamedLot): void {
    this.set({ ...container, status: 'retired' });
    for (const lot of this.all())
      if (lot.containerTokenId === container.tokenId)
        this.set({ ...lot, containerTokenId: null, status: 'active', custodian: container.custodian });
  }
}

/** A wallet for a name, always the same. */
export const walletOf = (name: string): string => checksumAddress(`0x${keccakOf(name).slice(-40)}`);
