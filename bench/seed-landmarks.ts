import { type Chain, DRY, HARVEST, PACK, all, part } from './seed-chains.js';
import type { Goods, Ledger } from './seed-ledger.js';

/** Sizes of the shapes that measurements ask about. */
export interface LandmarkSizes {
  /** Parallel chains of the tree and of the confluence. */
  readonly chains: number;
  /** Lots of each chain: the depth. */
  readonly levels: number;
  /** Rungs of two lots in the ladder of diamonds: 2^rungs paths from its foot to its top. */
  readonly rungs: number;
  readonly hubChildren: number;
}

/** Their token ids. */
export interface Landmarks {
  /** A lot with chains × levels descendants, without diamonds. */
  tree: number;
  /** A lot with chains × levels ancestors, without diamonds. */
  confluence: number;
  ladderFoot: number;
  ladderTop: number;
  hub: number;
}

interface Landmark {
  readonly chain: Chain;
  /** Number of yields. They are spread evenly over the whole run, so that its lots are far apart in the tables. */
  readonly yields: number;
}

/** The contract's limit of outputs an event. */
const MAX_OUTPUTS = 200;

export function landmarksOf(ledger: Ledger, sizes: LandmarkSizes, found: Partial<Landmarks>): Landmark[] {
  const { levels, rungs, hubChildren } = sizes;
  return [
    { chain: tree(ledger, sizes, found), yields: levels },
    { chain: confluence(ledger, sizes, found), yields: levels },
    { chain: ladder(ledger, sizes, found), yields: rungs + 1 },
    { chain: hub(ledger, sizes, found), yields: Math.ceil(hubChildren / MAX_OUTPUTS) },
  ];
}

/** Every lot of a level becomes one of the next. */
function nextLevel(ledger: Ledger, level: readonly Goods[]): Goods[] {
  return level.map((lot) => ledger.record(DRY, ledger.company(0), [all(lot)], [lot.left])[0]!);
}

function* tree(ledger: Ledger, { chains, levels }: LandmarkSizes, found: Partial<Landmarks>): Chain {
  const [root] = ledger.record(HARVEST, ledger.company(0), [], [100 * chains]);
  found.tree = Number(root!.tokenId);
  let level = ledger.record(
    DRY,
    ledger.company(0),
    [all(root!)],
    Array.from({ length: chains }, () => 100),
  );
  yield;
  for (let depth = 2; depth <= levels; depth++) {
    level = nextLevel(ledger, level);
    yield;
  }
}

function* confluence(ledger: Ledger, { chains, levels }: LandmarkSizes, found: Partial<Landmarks>): Chain {
  let level = Array.from({ length: chains }, () => ledger.record(HARVEST, ledger.company(0), [], [100])[0]!);
  for (let depth = 2; depth <= levels; depth++) {
    yield;
    level = nextLevel(ledger, level);
  }
  yield;
  const [end] = ledger.record(DRY, ledger.company(0), level.map(all), [100 * chains]);
  found.confluence = Number(end!.tokenId);
}

function* ladder(ledger: Ledger, { rungs }: LandmarkSizes, found: Partial<Landmarks>): Chain {
  const [foot] = ledger.record(HARVEST, ledger.company(0), [], [1000]);
  found.ladderFoot = Number(foot!.tokenId);
  let rung: readonly Goods[] = [foot!];
  for (let i = 0; i < rungs; i++) {
    rung = ledger.record(DRY, ledger.company(0), rung.map(all), [500, 500]);
    yield;
  }
  const [top] = ledger.record(DRY, ledger.company(0), rung.map(all), [1000]);
  found.ladderTop = Number(top!.tokenId);
}

function* hub(ledger: Ledger, { hubChildren }: LandmarkSizes, found: Partial<Landmarks>): Chain {
  const [silo] = ledger.record(HARVEST, ledger.company(0), [], [10 * hubChildren]);
  found.hub = Number(silo!.tokenId);
  for (let left = hubChildren; left > 0; left -= MAX_OUTPUTS) {
    const children = Math.min(left, MAX_OUTPUTS);
    ledger.record(
      PACK,
      ledger.company(0),
      [part(silo!, 10 * children)],
      Array.from({ length: children }, () => 2),
    );
    yield;
  }
}
