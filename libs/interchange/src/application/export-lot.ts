import { type Actor, Clock, newId } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { EventAccounts, Footprints, Lineage, scopePatterns } from '#traceability';
import { Injectable } from '@nestjs/common';
import type { EventAccount } from '../contract.js';
import { type Dossier, type LotExporter, type Step, belongs, mintsOf } from '../domain/dossier.js';
import { exportIncomplete, exporterUnknown, lotNotFound, lotVoided } from '../domain/errors.js';
import type { Naming } from '../domain/recorded.js';
import { DossierFacts, Exporters, type ProcessName } from '../ports.js';

const BOUNDS = { maxDepth: 200, maxNodes: 20_000 };
const PAGE = 250;
/** Of one document: what it says of each is in memory at once. */
const MAX_STEPS = 5_000;

export interface ExportRequest {
  readonly actor: Actor;
  readonly tokenId: bigint;
  readonly format: string;
  /** `https://host` that was asked. */
  readonly base: string;
}

/** A lot, told in one of the formats of `domain/exporters`: everything is read as it stands at one moment, as far as the caller may see it. */
@Injectable()
export class ExportLot {
  constructor(
    private readonly work: UnitOfWork,
    private readonly lineage: Lineage,
    private readonly accounts: EventAccounts,
    private readonly footprints: Footprints,
    private readonly facts: DossierFacts,
    private readonly exporters: Exporters,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError 404 for an unknown format or lot, 409 for a voided lot, 422 where the document cannot be made */
  async export({ actor, tokenId, format, base }: ExportRequest): Promise<{ readonly exporter: LotExporter; readonly text: string }> {
    const names = this.exporters.all.map(({ name }) => name);
    const exporter = this.exporters.all.find(({ name }) => name === format);
    if (!exporter) throw exporterUnknown(format, names);
    const naming = { base, tenant: actor.tenantSlug };
    const dossier = await this.work.inSnapshot(actor, (tx) => this.dossier(tx, actor, tokenId, exporter, naming));
    return { exporter, text: exporter.write(dossier) };
  }

  private async dossier(tx: TenantTx, actor: Actor, root: bigint, exporter: LotExporter, naming: Naming): Promise<Dossier> {
    const [lot] = await this.facts.lots(tx, [Number(root)]);
    if (!lot) throw lotNotFound(root);
    if (lot.retireReason === 'voided') throw lotVoided(lot.tlc);
    const shares = await this.madeFrom(tx, root);
    const made = [...shares.keys(), lot.tokenId];
    const accounts = await this.history(tx, actor, lot.tokenId, new Set([...made, ...(await this.containersOf(tx, root))]));
    const lots = await this.facts.lots(tx, made);
    const history = await this.told(tx, accounts);
    return {
      lot,
      naming,
      at: this.clock.now(),
      documentId: newId(),
      history,
      mints: mintsOf(history),
      lots: new Map(lots.map((one) => [one.tokenId, one])),
      shares,
      footprint: exporter.needsFootprint ? await this.footprints.of(tx, root, BOUNDS, null) : null,
    };
  }

  private async madeFrom(tx: TenantTx, root: bigint): Promise<Map<number, number | null>> {
    const { nodes, truncated } = await this.lineage.graph(tx, {
      root,
      direction: 'ancestors',
      kinds: ['transformation', 'containment'],
      bounds: BOUNDS,
      asOf: null,
      skip: 0,
    });
    if (truncated) throw exportIncomplete(`more than ${BOUNDS.maxNodes} lots or ${BOUNDS.maxDepth} steps`);
    return new Map(nodes.filter(({ tokenId }) => tokenId !== root).map(({ tokenId, share }) => [Number(tokenId), share]));
  }

  /** What it was packed into: journeys are told of the container. */
  private async containersOf(tx: TenantTx, root: bigint): Promise<number[]> {
    const kinds = ['containment'] as const;
    const { nodes } = await this.lineage.graph(tx, { root, direction: 'descendants', kinds, bounds: BOUNDS, asOf: null, skip: 0 });
    return nodes.map(({ tokenId }) => Number(tokenId));
  }

  /** Oldest first. */
  private async history(tx: TenantTx, actor: Actor, root: number, within: ReadonlySet<number>): Promise<EventAccount[]> {
    const filter = { status: 'recorded' as const, tokenIds: [...within].map(BigInt), scope: scopePatterns(actor) };
    const found: EventAccount[] = [];
    for (let last: EventAccount | undefined, more = true; more; ) {
      const after = last ? { eventTime: last.event.eventTime === null ? null : new Date(last.event.eventTime), id: last.event.id } : null;
      const page = await this.accounts.page(tx, actor, filter, after, PAGE);
      found.push(...page.filter((account) => belongs(account, root, within)));
      if (found.length > MAX_STEPS) throw exportIncomplete(`more than ${MAX_STEPS} events`);
      last = page.at(-1);
      more = page.length === PAGE;
    }
    return found.toReversed();
  }

  private async told(tx: TenantTx, accounts: readonly EventAccount[]): Promise<Step[]> {
    const orgIds = [...new Set(accounts.flatMap(({ event }) => event.actor.orgId ?? []))];
    const parties = await this.facts.parties(tx, orgIds);
    const processes = new Map<string, ProcessName>(
      accounts.flatMap(({ event: { processMapName: map, processMapVersion: version, processType } }) =>
        map === null || version === null || processType === null
          ? []
          : [[`${map}@${version}/${processType}`, { map, version, processType }]],
      ),
    );
    const words = await this.facts.words(tx, [...processes.values()]);
    const byKey = new Map([...processes.keys()].map((key, i) => [key, words[i] ?? null]));
    return accounts.map((account) => {
      const { processMapName, processMapVersion, processType, kind, actor } = account.event;
      const known = byKey.get(`${processMapName}@${processMapVersion}/${processType}`);
      return {
        account,
        label: known?.label ?? processType ?? kind ?? 'event',
        allocation: known?.allocation ?? null,
        party: parties.get(actor.orgId ?? '') ?? null,
      };
    });
  }
}
