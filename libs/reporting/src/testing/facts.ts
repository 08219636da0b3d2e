import type { ChainHead, ChainProfile } from '#chain';
import type { TenantTx, UnitOfWork } from '#persistence';
import { TenantFactsProjector } from '../cache/reports.job.js';
import { EventFactQueries } from '../event-facts/event-facts.queries.js';
import { StockProjector } from '../inventory/stock.projector.js';
import { StockQueries } from '../inventory/stock.queries.js';
import { TransferFactQueries } from '../event-facts/transfer-facts.queries.js';

/** What the worker runs for large tenants, for a tenant of any size. */
export const factsProjector = (unitOfWork: UnitOfWork, chain: ChainProfile, chainHead: ChainHead): TenantFactsProjector =>
  new TenantFactsProjector(
    unitOfWork,
    chainHead,
    new EventFactQueries(chain),
    new TransferFactQueries(),
    new StockProjector(unitOfWork, new StockQueries(chain)),
  );

/** Computes the facts of the events again. */
export const writeEventFacts = (tx: TenantTx, chain: ChainProfile, ids: readonly string[], final: number): Promise<void> =>
  new EventFactQueries(chain).write(tx, ids, final);
