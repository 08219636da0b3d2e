import type { LogBatch } from '#chain';
import type { TenantTx, UnitOfWork } from '#persistence';
import { LogWriter, landingParts } from '#traceability/testing';
import { type Chain, DRY, HARVEST, part, riceSeason, wideSplit, woolLine } from './seed-chains.js';
import { Dice } from './seed-dice.js';
import { type LandmarkSizes, type Landmarks, landmarksOf } from './seed-landmarks.js';
import { type Goods, Ledger } from './seed-ledger.js';

export interface SeedSize {
  readonly lots: number;
  readonly edges: number;
  readonly landmarks: LandmarkSizes;
}

const FULL = 100_000;

/** The landmarks are whole from a hundred thousand lots on, and smaller in proportion below. */
export function sizeOf(lots: number, edges = Math.round(1.3 * lots)): SeedSize {
  const scale = Math.min(1, lots / FULL);
  const chains = Math.max(2, Math.round(100 * Math.sqrt(scale)));
  const landmarks = { chains, levels: chains, rungs: Math.max(4, Math.round(40 * scale)), hubChildren: Math.ceil(50_000 * scale) };
  return { lots, edges, landmarks };
}

/** Where the lots go. The maps `rice` and `wool` are published there. */
export interface SeededTenant {
  readonly id: string;
  readonly slug: string;
  readonly contract: string;
  readonly chainId: number;
  /** Wallet → organisation id. */
  readonly organisations: Readonly<Record<string, string>>;
}

/** Called after each batch that is in the database. */
export type Landed = (lots: number, edges: number) => Promise<void>;

const LOGS_A_BATCH = 20_000;
const LOGS_A_BLOCK = 200;
/** Chains under way at any time, of the dense kind and of the sparse kind each. */
const sideBySide = (lots: number): number => Math.min(200, Math.max(4, Math.round(lots / 2000)));
/** Lots that are made one by one in the end, so that lots and edges come out exactly. */
const restOf = (lots: number): number => Math.max(150, Math.ceil(0.02 * lots));

/**
 * Fills a tenant through the projector of lots. The same size gives the same logs in every run, so an interrupted run continues after
 * the last complete batch.
 */
export async function fillTenant(unitOfWork: UnitOfWork, tenant: SeededTenant, size: SeedSize, landed: Landed): Promise<Landmarks> {
  const { handler, content } = landingParts(tenant.slug, tenant.organisations);
  const book = new LogWriter(tenant.contract, tenant.chainId);
  const ledger = new Ledger(book, content, new Dice(1), { slug: tenant.slug, wallets: Object.keys(tenant.organisations) });
  const found: Partial<Landmarks> = {};
  const landedBefore = await lastBlock(unitOfWork, tenant.id);
  const land = async (): Promise<void> => {
    const batch: LogBatch = book.batch();
    const fresh = (batch.logs.at(-1)?.block.number ?? 0) > landedBefore;
    if (fresh) await unitOfWork.inTransaction({ tenantId: tenant.id }, (tx) => handler.apply(withoutTopics(tx), batch));
    book.nextBatch();
    content.forget();
    if (fresh) await landed(ledger.lots, ledger.edges);
  };
  let inBlock = 0;
  for (const _ of happenings(ledger, size, found)) {
    if (book.logs.length - inBlock >= LOGS_A_BLOCK) {
      book.mine();
      inBlock = book.logs.length;
    }
    if (book.logs.length < LOGS_A_BATCH) continue;
    await land();
    inBlock = 0;
  }
  await land();
  return found as Landmarks;
}

async function lastBlock(unitOfWork: UnitOfWork, tenantId: string): Promise<number> {
  const [row] = await unitOfWork.inTransaction({ tenantId }, (tx) =>
    tx.sql<{ last: string }>('select coalesce(max(block_number), 0) as last from traceability.block_time where tenant_id = $1', [tenantId]),
  );
  return Number(row!.last);
}

/** No one subscribes to this tenant: a million topics would only fill the outbox. */
const withoutTopics = (tx: TenantTx): TenantTx => ({
  tenantId: tx.tenantId,
  sql: (text, parameters) => tx.sql(text, parameters),
  find: (type, from, parameters) => tx.find(type, from, parameters),
  repository: (type) => tx.repository(type),
  pipelined: (writes) => tx.pipelined(writes),
  publish: () => Promise.resolve(),
  rememberSpan: (keys) => tx.rememberSpan(keys),
});

/** Everything that happens, in order. Whether a dense or a sparse chain goes on next is decided by the edges that are wanted. */
function* happenings(ledger: Ledger, { lots, edges, landmarks }: SeedSize, found: Partial<Landmarks>): Chain {
  const until = lots - restOf(lots);
  const dense = new Streams(ledger, sideBySide(lots), [riceSeason]);
  const sparse = new Streams(ledger, sideBySide(lots), [woolLine, wideSplit]);
  const marks = landmarksOf(ledger, landmarks, found).map((mark) => ({ ...mark, done: 0 }));
  while (ledger.lots < until) {
    for (const mark of marks)
      if (mark.done * until <= ledger.lots * mark.yields) {
        mark.chain.next();
        mark.done++;
      }
    (ledger.edges * lots < edges * ledger.lots ? dense : sparse).goOn();
    yield;
  }
  for (const { chain } of marks) for (const _ of chain) yield;
  yield* rest(ledger, lots, edges);
}

class Streams {
  private readonly open: Chain[];

  constructor(
    private readonly ledger: Ledger,
    howMany: number,
    private readonly kinds: readonly ((ledger: Ledger) => Chain)[],
  ) {
    this.open = Array.from({ length: howMany }, () => this.fresh());
  }

  goOn(): void {
    const i = this.ledger.dice.below(this.open.length);
    if (this.open[i]!.next().done) this.open[i] = this.fresh();
  }

  private fresh(): Chain {
    return this.kinds[this.ledger.dice.below(this.kinds.length)]!(this.ledger);
  }
}

/** Silos, and blends of them: as many lots and edges as are missing. */
function* rest(ledger: Ledger, lots: number, edges: number): Chain {
  const by = ledger.company(0);
  const silos: Goods[] = [];
  while (ledger.lots < lots) {
    const missing = edges - ledger.edges;
    const sources = Math.min(silos.length, Math.ceil(missing / (lots - ledger.lots)));
    if (silos.length < 10) silos.push(...ledger.record(HARVEST, by, [], [lots]));
    else
      ledger.record(
        sources === 0 ? HARVEST : DRY,
        by,
        silos.slice(0, sources).map((silo) => part(silo, 0.001)),
        [1],
      );
    yield;
  }
  if (ledger.edges !== edges) throw new RangeError(`chains like these cannot have ${edges} edges on ${lots} lots: about 1.3 a lot`);
}
