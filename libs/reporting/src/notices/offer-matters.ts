import { type Audience, type FeedChange, type Matter, counted } from './notice.js';

/** The lots that one transaction offers to somebody. */
interface Offer {
  readonly txHash: string;
  readonly from: string;
  readonly to: string;
  /** Of the first lot; its number where the code is unknown. */
  readonly lot: string;
  readonly lots: number;
}

export function offersIn(changes: readonly FeedChange[]): readonly Offer[] {
  const offers = new Map<string, Offer>();
  for (const { topic, data } of changes) {
    if (topic !== 'custody.offered') continue;
    const [txHash, from, to] = [String(data['txHash']), String(data['from']), String(data['to'])];
    const known = offers.get(keyOf({ txHash, to }));
    const lot = known?.lot ?? String(data['tlc'] ?? data['tokenId']);
    offers.set(keyOf({ txHash, to }), { txHash, from, to, lot, lots: (known?.lots ?? 0) + 1 });
  }
  return [...offers.values()];
}

/** The notice of an offer; `NoticeQueries.endOffers` finds it by its key. @param sender in words */
export function offerMatter(offer: Offer, sender: string, audience: Audience): Matter {
  const { lot, lots, to } = offer;
  const what = lots === 1 ? `Lot ${lot} is` : `Lot ${lot} and ${counted(lots - 1, 'more lot')} are`;
  return {
    topic: 'transfer',
    key: keyOf(offer),
    title: `${what} offered to you by ${sender}: accept or reject ${lots === 1 ? 'it' : 'them'}.`,
    link: '/offers',
    to: audience.whoTransfer(to),
  };
}

const keyOf = ({ txHash, to }: Pick<Offer, 'txHash' | 'to'>): string => `transfer:${txHash}:${to}`;
