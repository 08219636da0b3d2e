import { type Actor, Clock, newId } from '#kernel';
import { AnswerCache, type TenantTx, UnitOfWork } from '#persistence';
import { EventAccounts, Footprints, Lineage, scopePatterns } from '#traceability';
import { Injectable } from '@nestjs/common';
import type { EventAccount } from '../contract.js';
import { exportIncomplete, lotNotFound, lotVoided } from '../errors.js';
import { type Dossier, type ExportedLot, Exporters, type HistoryEntry, type Exporter, belongs, mintsOf } from './dossier.js';
import { DossierQueries, type ProcessName } from './dossier.queries.js';

const BOUNDS = { maxDepth: 200, maxNodes: 20_000 };
const PAGE = 250;
/** Of one document: all of them are in memory at once. */
const MAX_EVENTS = 5_000;

interface DossierRequest {
  readonly actor: Actor;
  readonly tokenId: bigint;
  /** `https://host` of the request. */
  readonly base: string;
}

interface Ancestry {
  /** Part of the lot's mass that came from each of its ancestors. */
  readonly shares: Map<number, number | null>;
  readonly parts: readonly { readonly part: number; readonly of: number }[];
}

/** A part was made by the event that made the lot that it was split from. Token ids rise from a lot to its parts. */
function withParts(mints: ReadonlyMap<number, HistoryEntry>, parts: Ancestry['parts']): ReadonlyMap<number, HistoryEntry> {
  const all = new Map(mints);
  for (const { part, of } of parts.toSorted((a, b) => a.part - b.part)) {
    const mint = all.get(of);
    if (mint) all.set(part, mint);
  }
  return all;
}

/** Reads the history of a lot, as far as the caller may see it. */
@Injectable()
export class ReadDossier {
  constructor(
    private readonly lineage: Lineage,
    private readonly accounts: EventAccounts,
    private readonly footprints: Footprints,
    private readonly queries: DossierQueries,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 404 for an unknown lot, 409 for a voided lot, 422 for a history that is too large */
  async read(tx: TenantTx, { actor, tokenId: root, base }: DossierRequest, hasFootprint: boolean): Promise<Dossier> {
    const [lot, ancestry, containers] = await Promise.all([this.lot(tx, root), this.madeFrom(tx, root), this.containersOf(tx, root)]);
    const { shares, parts } = ancestry;
    const made = [...shares.keys(), lot.tokenId];
    const [history, lots, footprint] = await Promise.all([
      this.history(tx, actor, lot.tokenId, new Set([...made, ...containers])).then((accounts) => this.described(tx, accounts)),
      this.queries.lots(tx, made),
      hasFootprint ? this.footprints.of(tx, root, BOUNDS, null) : null,
    ]);
    return {
      lot,
      naming: { base, tenant: actor.tenantSlug },
      at: this.clock.now(),
      documentId: newId(),
      history,
      mints: withParts(mintsOf(history), parts),
      lots: new Map(lots.map((one) => [one.tokenId, one])),
      shares,
      footprint,
    };
  }

  private async lot(tx: TenantTx, root: bigint): Promise<ExportedLot> {
    const [lot] = await this.queries.lots(tx, [Number(root)]);
    if (!lot) throw lotNotFound(root);
    if (lot.retireReason === 'voided') throw lotVoided(lot.tlc);
    return lot;
  }

  private async madeFrom(tx: TenantTx, root: bigint): Promise<Ancestry> {
    const { nodes, edges, truncated } = await this.lineage.graph(tx, {
      root,
      direction: 'ancestors',
      kinds: ['transformation', 'containment', 'split'],
      bounds: BOUNDS,
      asOf: null,
      skip: 0,
    });
    if (truncated) throw exportIncomplete(`more than ${BOUNDS.maxNodes} lots or ${BOUNDS.maxDepth} levels`);
    return {
      shares: new Map(nodes.filter(({ tokenId }) => tokenId !== root).map(({ tokenId, share }) => [Number(tokenId), share])),
      parts: edges.flatMap(({ kind, from, to }) => (kind === 'split' ? [{ part: Number(to), of: Number(from) }] : [])),
    };
  }

  /** What it was packed into: transfers of a container are recorded for the container. */
  private async containersOf(tx: TenantTx, root: bigint): Promise<number[]> {
    return (await this.lineage.containersOf(tx, root, BOUNDS)).map(Number);
  }

  /** Oldest first. */
  private async history(tx: TenantTx, actor: Actor, root: number, within: ReadonlySet<number>): Promise<EventAccount[]> {
    const filter = { status: 'recorded' as const, tokenIds: [...within].map(BigInt), scope: scopePatterns(actor) };
    const found: EventAccount[] = [];
    for (let last: EventAccount | undefined, more = true; more;) {
      const after = last ? { eventTime: last.event.eventTime === null ? null : new Date(last.event.eventTime), id: last.event.id } : null;
      const page = await this.accounts.page(tx, actor, filter, after, PAGE);
      found.push(...page.filter((account) => belongs(account, root, within)));
      if (found.length > MAX_EVENTS) throw exportIncomplete(`more than ${MAX_EVENTS} events`);
      last = page.at(-1);
      more = page.length === PAGE;
    }
    return found.toReversed();
  }

  private async described(tx: TenantTx, accounts: readonly EventAccount[]): Promise<HistoryEntry[]> {
    const orgIds = [...new Set(accounts.flatMap(({ deedOrgId }) => deedOrgId ?? []))];
    const processes = new Map<string, ProcessName>(
      accounts.flatMap(({ event: { processMapName: map, processMapVersion: version, processType } }) =>
        map === null || version === null || processType === null
          ? []
          : [[`${map}@${version}/${processType}`, { map, version, processType }]],
      ),
    );
    const [parties, labels] = await Promise.all([this.queries.parties(tx, orgIds), this.queries.labels(tx, [...processes.values()])]);
    const byKey = new Map([...processes.keys()].map((key, i) => [key, labels[i] ?? null]));
    return accounts.map((account) => {
      const { processMapName, processMapVersion, processType, kind } = account.event;
      const known = byKey.get(`${processMapName}@${processMapVersion}/${processType}`);
      return {
        account,
        label: known?.label ?? processType ?? kind ?? 'event',
        allocation: known?.allocation ?? null,
        party: parties.get(account.deedOrgId ?? '') ?? null,
      };
    });
  }
}

interface ExportRequest extends DossierRequest {
  readonly format: string;
}

/** A lot in one of the formats of `exports/exporters`: everything is read as it is at one moment. */
@Injectable()
export class ExportLot {
  constructor(
    private readonly work: UnitOfWork,
    private readonly readDossier: ReadDossier,
    private readonly exporters: Exporters,
    private readonly answers: AnswerCache,
  ) {}

  /** @throws DomainError 404 for an unknown format or lot, 409 for a voided lot, 422 where the document cannot be made */
  async export(request: ExportRequest): Promise<{ readonly exporter: Exporter; readonly text: Buffer }> {
    const { actor, format, tokenId, base } = request;
    const exporter = this.exporters.named(format);
    const { answer } = await this.answers.get(actor, ['export', format, tokenId.toString(), base], async () => {
      const dossier = await this.work.inSnapshot(actor, (tx) => this.readDossier.read(tx, request, exporter.needsFootprint));
      return { body: Buffer.from(exporter.write(dossier)) };
    });
    return { exporter, text: answer.body };
  }
}
