import type { ContentStore } from '#content-storage';
import type { Parties, Tenants } from '#identity';
import type { UnitOfWork } from '#persistence';
import { ConfiguredKeys, ContentKeyStore, OpenContents, ReadContents } from '#sealed-contents';
import type { AffectedSets, Holds, Lineage, Lots, Tracebacks } from '#traceability';
import { HoldQueries } from '../holds/holds.queries.js';
import { PropagateRecall } from '../holds/propagate-recall.js';
import { PublishRecalls } from '../landing/publish-recalls.js';
import { RecallProjector } from '../landing/recalls.projector.js';
import { NoticeQueries, RecallQueries } from '../recalls/recalls.queries.js';
import { ReadNotices } from '../landing/read-notices.js';

export { AssessDrill } from '../drills/run-drill.js';
export { DrillQueries } from '../drills/drills.queries.js';
export { RunDrill } from '../drills/run-drill.js';

/** What happens when recalls land, wired without Nest. */
export function recallLanding(parts: {
  readonly lineage: Lineage;
  readonly tracebacks: Tracebacks;
  readonly affected: AffectedSets;
  readonly holds: Holds;
  readonly lots: Lots;
  readonly content: ContentStore;
  readonly tenants: Tenants;
  readonly parties: Parties;
}): {
  readonly projector: RecallProjector;
  readonly holdQueries: HoldQueries;
  readonly readNotices: (work: UnitOfWork, content?: ContentStore) => ReadNotices;
} {
  const { lineage, tracebacks, affected, holds, lots, content, tenants, parties } = parts;
  const reading = (from: ContentStore, work: UnitOfWork = null as unknown as UnitOfWork): ReadContents =>
    new ReadContents(from, new OpenContents(new ContentKeyStore(work, new ConfiguredKeys([Buffer.alloc(32, 9)]))));
  const [recalls, holdQueries] = [new RecallQueries(), new HoldQueries()];
  const propagation = new PropagateRecall(recalls, affected, holds, holdQueries, lots);
  return {
    projector: new RecallProjector(recalls, new PublishRecalls(lineage, tracebacks, tenants), propagation, reading(content), parties),
    holdQueries,
    readNotices: (work, from = content) => new ReadNotices(work, reading(from, work), new NoticeQueries(), propagation),
  };
}
