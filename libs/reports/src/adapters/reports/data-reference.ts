import { BooleanField, EnumField, IntegerField, NumberField, ObjectField, StringField } from '#http';
import type { Actor } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import { scopePatterns } from '#traceability';
import { Injectable } from '@nestjs/common';
import { CheckPointers } from '../../application/check-pointers.js';
import { POINTER_KINDS, POINTER_STATUSES } from '../../domain/data-reference/pointer.js';
import { ratio } from '../../domain/figures.js';
import { type About, type Cell, type Outcome, Report, type Scope } from '../../ports.js';
import { type ListedPointer, type PointerCount, type PointerFilter, Pointers } from '../../pointers.ports.js';
import { REPORT_READERS } from './access.js';
import { flag, oneOf } from './parameters.js';

/** domain-decisions §6.3: `refresh=true` re-checks at most so many pointers. An event has three, a lot has one. */
const MOST_REFRESHED = 200;

class PointingView {
  @EnumField(['lot', 'event'], { description: 'Whose record points' })
  kind: string;

  @StringField({ description: 'Token id or event id' })
  id: string;

  @IntegerField({ description: 'Of a lot', nullable: true })
  tokenId: number | null;

  @StringField({ description: 'Code of the lot, or of the event’s main output', nullable: true })
  tlc: string | null;
}

class PointerView {
  @StringField({ description: 'Stable: the same pointer of the same record has the same id' })
  pointerId: string;

  @EnumField(POINTER_KINDS, { description: 'What it points to' })
  kind: string;

  @ObjectField(() => PointingView, { description: 'Whose record points' })
  subject: PointingView;

  @StringField({ description: 'The CID, hash, token id, identifier or address' })
  value: string;

  @BooleanField({ description: 'What it points to was there; null = nobody looked', nullable: true })
  resolved: boolean | null;

  @BooleanField({ description: 'It is what the record says; null = nothing to compare', nullable: true })
  matches: boolean | null;

  @EnumField(POINTER_STATUSES, { description: '`mismatch` and `unresolved` are wrong' })
  status: string;

  @StringField({ description: 'When it was checked', format: 'date-time' })
  checkedAt: string;

  @IntegerField({ description: 'How long what was asked for it took, ms; null = nothing was asked', nullable: true })
  latencyMs: number | null;

  @StringField({ description: 'What was found, in a sentence' })
  detail: string;
}

class KindView {
  @IntegerField({ description: 'Right' })
  ok: number;

  @IntegerField({ description: 'There, and not what the record says' })
  mismatch: number;

  @IntegerField({ description: 'Not there' })
  unresolved: number;

  @IntegerField({ description: 'Not looked at: other systems are not asked' })
  not_checked: number;
}

class ByKindView {
  @ObjectField(() => KindView, { description: 'Stored bytes of events' })
  cid: KindView;

  @ObjectField(() => KindView, { description: 'Data hashes on chain' })
  dataHash: KindView;

  @ObjectField(() => KindView, { description: 'Transactions' })
  tx: KindView;

  @ObjectField(() => KindView, { description: 'Tokens of lots' })
  nft: KindView;

  @ObjectField(() => KindView, { description: 'Documents of events' })
  document: KindView;

  @ObjectField(() => KindView, { description: 'Identifiers of other systems' })
  ext: KindView;
}

class SweepView {
  @IntegerField({ description: 'Events up to this block were checked in this lap' })
  eventBlock: number;

  @IntegerField({ description: 'Lots up to this token were checked in this lap' })
  tokenId: number;

  @StringField({ description: 'When this lap over everything began', format: 'date-time', nullable: true })
  lapBeganAt: string | null;

  @StringField({ description: 'When everything had been checked last; null = not yet', format: 'date-time', nullable: true })
  lapEndedAt: string | null;
}

class DataReferenceSummaryView {
  @IntegerField({ description: 'Pointers known' })
  total: number;

  @IntegerField({ description: 'Of those, looked at' })
  checked: number;

  @NumberField({ description: 'resolved / checked', nullable: true })
  resolvedRatio: number | null;

  @NumberField({ description: 'matches / resolved', nullable: true })
  matchRatio: number | null;

  @ObjectField(() => ByKindView, { description: 'Counts by kind' })
  byKind: ByKindView;

  @ObjectField(() => SweepView, { description: 'Where the background check is' })
  sweep: SweepView;
}

/** domain-decisions §6.3: cross-system pointer audit. Reading it asks nobody; `refresh=true` does. */
@Injectable()
export class DataReferenceReport extends Report<PointerView> {
  static readonly about: About = {
    name: 'data-reference',
    title: 'Whether what records point to is there and is what they say: stored bytes, chain, documents, identifiers',
    access: REPORT_READERS,
    parameters: [
      { name: 'kind', description: `Only these: ${POINTER_KINDS.join(', ')}`, maxLength: 20 },
      { name: 'status', description: `Only these: ${POINTER_STATUSES.join(', ')}`, maxLength: 20 },
      {
        name: 'refresh',
        description: `\`true\`: first check anew what is wrong, then what was checked longest ago; ${MOST_REFRESHED} pointers at most`,
        maxLength: 5,
      },
    ],
    rows: 'pointers',
    rowView: () => PointerView,
    summaryView: () => DataReferenceSummaryView,
    columns: [
      ['pointerId', null, 'Stable id'],
      ['kind', null, 'What it points to'],
      ['subjectKind', null, 'lot or event'],
      ['subjectId', null, 'Token id or event id'],
      ['tokenId', null, 'Of a lot'],
      ['tlc', null, 'Code'],
      ['value', null, 'The CID, hash, token id, identifier or address'],
      ['resolved', null, 'It was there'],
      ['matches', null, 'It is what the record says'],
      ['status', null, 'ok, mismatch, unresolved or not_checked'],
      ['checkedAt', null, 'When it was checked'],
      ['latencyMs', 'ms', 'How long it took'],
      ['detail', null, 'What was found'],
    ].map(([name, unit, description]) => ({ name: name!, unit: unit!, description: description! })),
    place: [/^[0-3]$/, /^[a-zA-Z]{2,10}$/, /^[0-9a-f]{16}$/],
  };

  constructor(
    private readonly pointers: Pointers,
    private readonly checkPointers: CheckPointers,
    private readonly unitOfWork: UnitOfWork,
  ) {
    super();
  }

  override async before(actor: Actor, orgId: string | null, parameters: Scope['parameters']): Promise<void> {
    if (!flag(parameters['refresh'], '/refresh')) return;
    const filter = filterOf({ from: null, to: null, processes: scopePatterns(actor), parameters }, orgId);
    const stale = await this.unitOfWork.inSnapshot(actor, (tx) => this.pointers.stalest(tx, filter, MOST_REFRESHED / 4));
    const of = (kind: string): string[] => stale.filter((subject) => subject.kind === kind).map(({ id }) => id);
    await this.checkPointers.again(actor, of('event'), of('lot').map(BigInt));
  }

  override async run(tx: TenantTx, scope: Scope): Promise<Outcome<PointerView>> {
    const filter = filterOf(scope, scope.organisation?.orgId ?? null);
    const counts = await this.pointers.counts(tx, filter);
    const found = await this.pointers.page(tx, filter, scope.after, scope.limit + 1);
    const walk = await this.pointers.walk(tx);
    const page = found.slice(0, scope.limit);
    const last = page.at(-1);
    return {
      summary: {
        ...summaryOf(counts),
        sweep: {
          eventBlock: walk.eventBlock,
          tokenId: Number(walk.tokenId),
          lapBeganAt: walk.lapBeganAt.getTime() === 0 ? null : walk.lapBeganAt,
          lapEndedAt: walk.lapEndedAt,
        },
      },
      rows: page.map(viewOf),
      total: counts.reduce((sum, { n }) => sum + n, 0),
      next: found.length > page.length ? [String(last!.rank), last!.kind, last!.pointerId] : null,
    };
  }

  override lines({ subject, ...pointer }: PointerView): readonly Readonly<Record<string, Cell>>[] {
    return [{ ...pointer, subjectKind: subject.kind, subjectId: subject.id, tokenId: subject.tokenId, tlc: subject.tlc }];
  }
}

const viewOf = ({ subjectKind, subjectId, tokenId, tlc, rank: _rank, checkedAt, ...pointer }: ListedPointer): PointerView => ({
  ...pointer,
  checkedAt: checkedAt.toISOString(),
  subject: { kind: subjectKind, id: subjectId, tokenId, tlc },
});

function summaryOf(counts: readonly PointerCount[]): object {
  const n = (of: (count: PointerCount) => boolean): number => counts.filter(of).reduce((sum, { n: some }) => sum + some, 0);
  const total = n(() => true);
  const seen = n(({ status }) => status !== 'not_checked');
  const there = n(({ status }) => status === 'ok' || status === 'mismatch');
  return {
    total,
    checked: seen,
    resolvedRatio: ratio(there, seen),
    matchRatio: ratio(
      n(({ status }) => status === 'ok'),
      there,
    ),
    byKind: Object.fromEntries(
      POINTER_KINDS.map((kind) => [
        kind,
        Object.fromEntries(POINTER_STATUSES.map((status) => [status, n((count) => count.kind === kind && count.status === status)])),
      ]),
    ),
  };
}

function filterOf(
  { from, to, processes, parameters }: Pick<Scope, 'from' | 'to' | 'processes' | 'parameters'>,
  orgId: string | null,
): PointerFilter {
  flag(parameters['refresh'], '/refresh');
  return {
    from,
    to,
    orgId,
    processes,
    kind: oneOf(POINTER_KINDS, parameters['kind'], '/kind'),
    status: oneOf(POINTER_STATUSES, parameters['status'], '/status'),
  };
}
