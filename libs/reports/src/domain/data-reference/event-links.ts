import type { Verdict } from './pointer.js';

/** What an event's record says about the chain. */
export interface RecordedEvent {
  readonly txHash: string;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly logIndex: number;
  readonly dataHash: string;
}

/** What the chain says; null = the transaction is not there. */
export interface ChainReceipt {
  readonly succeeded: boolean;
  readonly blockNumber: number;
  readonly blockHash: string;
  /** The event's own log; null when the transaction has none. */
  readonly log: { readonly logIndex: number; readonly dataHash: string } | null;
}

/** Resolves when a receipt was found, matches when it succeeded, in the recorded block, with our log at its place. */
export function txLink(event: RecordedEvent, receipt: ChainReceipt | null): Verdict {
  if (receipt === null) return { resolved: false, matches: null, detail: `The chain has no transaction ${event.txHash}.` };
  const wrong = [
    ...(receipt.succeeded ? [] : ['it reverted']),
    ...(receipt.blockNumber === event.blockNumber && receipt.blockHash === event.blockHash
      ? []
      : [`it is in block ${receipt.blockNumber} ${receipt.blockHash}, the record says ${event.blockNumber} ${event.blockHash}`]),
    ...(receipt.log === null
      ? ['it has no log of this event']
      : receipt.log.logIndex === event.logIndex
        ? []
        : [`the event's log is number ${receipt.log.logIndex}, the record says ${event.logIndex}`]),
  ];
  return wrong.length === 0
    ? { resolved: true, matches: true, detail: `Transaction ${event.txHash} is in block ${event.blockNumber} with the event's log.` }
    : { resolved: true, matches: false, detail: `Transaction ${event.txHash}: ${wrong.join('; ')}.` };
}

/**
 * Resolves when the event is on chain, matches when the data hash there is that of the bytes; of the record where no good bytes are to be
 * had, since what is wrong with those is the CID's to say.
 * @param bytesHash `0x` and the sha2-256 of the stored bytes
 */
export function dataHashLink(event: RecordedEvent, receipt: ChainReceipt | null, bytesHash: string | null): Verdict {
  const onChain = receipt?.log?.dataHash ?? null;
  if (onChain === null) return { resolved: false, matches: null, detail: `The chain has no event with the data hash ${event.dataHash}.` };
  if (onChain !== event.dataHash)
    return { resolved: true, matches: false, detail: `The chain has the data hash ${onChain}, the record ${event.dataHash}.` };
  if (bytesHash === null)
    return {
      resolved: true,
      matches: true,
      detail: `The chain and the record have the data hash ${onChain}; the bytes could not be asked.`,
    };
  return bytesHash === onChain
    ? { resolved: true, matches: true, detail: `The chain's data hash ${onChain} is that of the bytes.` }
    : { resolved: true, matches: false, detail: `The chain has the data hash ${onChain}, the bytes ${bytesHash}.` };
}
