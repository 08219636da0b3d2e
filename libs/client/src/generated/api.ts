/** Generated from the OpenAPI document by tools/openapi-types.mjs; a test holds it against the service. */

export interface AcknowledgeBody {
  readonly note?: string;
  readonly muteUntil?: string;
}

export interface AcknowledgedView {
  readonly at: string;
  readonly by: string;
  readonly note: string | null;
}

export interface AffectedActorView {
  readonly address: string;
  readonly did: string;
  readonly label: string;
  readonly labelKind: string;
  readonly roles: readonly string[];
  readonly tokenIds: readonly (number | string)[];
}

export interface AffectedLotView {
  readonly id: string;
  readonly tokenId: number;
  readonly tenantId: string;
  readonly tlc: string;
  readonly assetType: string | null;
  readonly assetTypeName: string | null;
  readonly processMapName: string | null;
  readonly status: 'retired' | 'recalled' | 'consumed' | 'in_transit' | 'aggregated' | 'on_hold' | 'expired' | 'active';
  readonly custodian: string;
  readonly custodianLabel: string;
  readonly custodianLabelKind: 'organization' | 'facility' | 'user' | 'partner' | 'contract' | 'address';
  readonly metadataCid: string;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly txHash: string;
  readonly blockNumber: number;
  readonly dataHash: string;
  readonly expiresAt: string | null;
  readonly pendingCustodian: string | null;
  readonly mintEventId: string;
  readonly eventCount: number;
  readonly createdAt: string;
  readonly quantity: number | null;
  readonly remainingQuantity: number | null;
  readonly uom: string | null;
  readonly gtin: string | null;
  readonly digitalLink: string | null;
  readonly containerTokenId: number | null;
  readonly processMapVersion: string | null;
  readonly recalled: boolean;
  readonly recallAffected: boolean;
  readonly holdsRecalled: boolean;
  readonly onHold: boolean;
  readonly expired: boolean;
  readonly contained: boolean;
  readonly isContainer: boolean;
  readonly retireReason: string | null;
  readonly resolved: boolean;
  readonly confirmed: boolean;
  readonly relation: 'transformed' | 'contained';
  readonly depth: number;
  readonly share: number | null;
}

export interface AlertLimitsBody {
  readonly limits: Readonly<Record<string, unknown>>;
}

export interface AlertLimitsView {
  readonly limits: {
    readonly expiringSoonWithinSeconds?: number;
    readonly custodyAcceptWithinSeconds?: number;
    readonly lateAfterSeconds?: number;
    readonly massBalanceTolerance?: number;
    readonly overConsumptionShare?: number;
    readonly yieldScore?: number;
    readonly yieldEvents?: number;
    readonly futureSeconds?: number;
    readonly txStuckAfterSeconds?: number;
    readonly txFailedWithinSeconds?: number;
    readonly unsubmittedAfterSeconds?: number;
    readonly footprintCoverage?: number;
    readonly webhookFailures?: number;
    readonly plotAreaHa?: number;
    readonly coordinateDecimals?: number;
  };
  readonly own: {
    readonly expiringSoonWithinSeconds?: number;
    readonly custodyAcceptWithinSeconds?: number;
    readonly lateAfterSeconds?: number;
    readonly massBalanceTolerance?: number;
    readonly overConsumptionShare?: number;
    readonly yieldScore?: number;
    readonly yieldEvents?: number;
    readonly futureSeconds?: number;
    readonly txStuckAfterSeconds?: number;
    readonly txFailedWithinSeconds?: number;
    readonly unsubmittedAfterSeconds?: number;
    readonly footprintCoverage?: number;
    readonly webhookFailures?: number;
    readonly plotAreaHa?: number;
    readonly coordinateDecimals?: number;
  };
}

export interface AlertView {
  readonly id: string;
  readonly type:
    | 'LOT_EXPIRED'
    | 'LOT_EXPIRING'
    | 'RECALLED_IN_STOCK'
    | 'RECALL_AFFECTED_LIVE'
    | 'CUSTODY_PENDING'
    | 'MASS_BALANCE'
    | 'OVER_CONSUMPTION'
    | 'YIELD_OUTLIER'
    | 'KDE_MISSING'
    | 'EVENT_LATE'
    | 'EVENT_ORDER'
    | 'CID_UNRESOLVED'
    | 'CID_MISMATCH'
    | 'CHAIN_DRIFT'
    | 'TX_STUCK'
    | 'TX_FAILED'
    | 'EVENT_UNSUBMITTED'
    | 'DOCUMENT_EXPIRED'
    | 'DOCUMENT_MISSING'
    | 'FOOTPRINT_GAP'
    | 'CLAIM_BREACH'
    | 'POLICY_BREACH'
    | 'WEBHOOK_FAILING'
    | 'GEO_QUALITY';
  readonly severity: 'critical' | 'high' | 'medium' | 'low';
  readonly title: string;
  readonly detail: string;
  readonly subject: SubjectView;
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly threshold: Readonly<Record<string, unknown>>;
  readonly detectedAt: string;
  readonly firstSeenAt: string;
  readonly resolvedAt: string | null;
  readonly acknowledged: AcknowledgedView | null;
  readonly mutedUntil: string | null;
  readonly recommendation: string;
  readonly reference: string | null;
}

export interface AlertsReportView {
  readonly report: string;
  readonly version: number;
  readonly tenantId: string;
  readonly generatedAt: string;
  readonly asOf: ReportAsOfView;
  readonly period: PeriodView;
  readonly orgId: string | null;
  readonly limit: number;
  readonly total: number | null;
  readonly truncated: boolean;
  readonly nextCursor: string | null;
  readonly summary: AlertsSummaryView;
  readonly alerts: readonly AlertView[];
  readonly insights: readonly InsightView[];
  readonly engine: EngineView;
}

export interface AlertsSummaryView {
  readonly total: number;
  readonly bySeverity: BySeverityView;
  readonly byType: Readonly<Record<string, unknown>>;
  readonly healthScore: number;
  readonly activeLots: number;
  readonly acknowledged: number;
  readonly evaluatedAt: string | null;
  readonly evaluatedBlock: number | null;
  readonly complete: boolean;
}

export interface ApiKeyBody {
  readonly name: string;
  readonly roles: readonly ('OPERATOR' | 'ADMIN' | 'AUDITOR' | 'COMPLIANCE' | 'TENANT_ADMIN')[];
  readonly roleScopes?: Readonly<Record<string, unknown>>;
  readonly wallet?: string | null;
  readonly orgId?: string | null;
  readonly expiresAt?: string | null;
}

export interface ApiKeyPageView {
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  readonly totalIsLowerBound?: boolean;
  readonly nextCursor: string | null;
  readonly data: readonly ApiKeyView[];
}

export interface ApiKeySecretView {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly roles: readonly ('OPERATOR' | 'ADMIN' | 'AUDITOR' | 'COMPLIANCE' | 'TENANT_ADMIN')[];
  readonly roleScopes: Readonly<Record<string, unknown>>;
  readonly wallet: string | null;
  readonly orgId: string | null;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly createdAt: string;
  readonly revokedAt: string | null;
  readonly secret?: string;
}

export interface ApiKeyView {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly roles: readonly ('OPERATOR' | 'ADMIN' | 'AUDITOR' | 'COMPLIANCE' | 'TENANT_ADMIN')[];
  readonly roleScopes: Readonly<Record<string, unknown>>;
  readonly wallet: string | null;
  readonly orgId: string | null;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly createdAt: string;
  readonly revokedAt: string | null;
}

export interface AsOfView {
  readonly block: number;
}

export interface AttemptView {
  readonly number: number;
  readonly manual: boolean;
  readonly statusCode: number | null;
  readonly responseBody: string | null;
  readonly error: string | null;
  readonly startedAt: string;
  readonly durationMs: number;
}

export interface AuditPageView {
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  readonly totalIsLowerBound?: boolean;
  readonly nextCursor: string | null;
  readonly data: readonly AuditView[];
}

export interface AuditView {
  readonly id: string;
  readonly at: string;
  readonly action:
    | 'login.succeeded'
    | 'login.failed'
    | 'tenant.selected'
    | 'logout'
    | 'session.revoked'
    | 'password.changed'
    | 'password.link_requested'
    | 'invitation.accepted'
    | 'member.added'
    | 'member.changed'
    | 'member.removed'
    | 'member.grants_prepared'
    | 'member.wallet_replacement_prepared'
    | 'organisation.created'
    | 'organisation.changed'
    | 'api_key.created'
    | 'api_key.rotated'
    | 'api_key.revoked'
    | 'webhook.created'
    | 'webhook.changed'
    | 'webhook.secret_rotated'
    | 'webhook.resumed'
    | 'webhook.deleted'
    | 'process_map.published'
    | 'tenant.created'
    | 'tenant.suspended'
    | 'tenant.tier_changed'
    | 'passport.evidence_shared'
    | 'passport.reinstated'
    | 'passport.withdrawn'
    | 'passports.changed'
    | 'rules.changed'
    | 'tenant.resumed';
  readonly actorKind: 'user' | 'api_key' | 'platform' | 'operator';
  readonly actorId: string | null;
  readonly subject: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface BatchItemView {
  readonly index: number;
  readonly status: number;
  readonly event: PreparedEventView | null;
  readonly problem: Readonly<Record<string, unknown>> | null;
}

export interface BundleLinkView {
  readonly url: string;
  readonly expiresAt: string;
}

export interface ByKindView {
  readonly cid: KindView;
  readonly dataHash: KindView;
  readonly tx: KindView;
  readonly nft: KindView;
  readonly document: KindView;
  readonly ext: KindView;
}

export interface BySeverityView {
  readonly critical: number;
  readonly high: number;
  readonly medium: number;
  readonly low: number;
}

export interface CaptureView {
  readonly prepared: number;
  readonly refused: number;
  readonly data: readonly CapturedEventView[];
}

export interface CapturedEventView {
  readonly index: number;
  readonly status: number;
  readonly event: PreparedEventView | null;
  readonly problem: Readonly<Record<string, unknown>> | null;
  readonly eventID: string | null;
  readonly eventHashID: string | null;
  readonly processType: string | null;
  readonly validation: ValidationView;
  readonly declaration: DeclarationView | null;
}

export interface ChainView {
  readonly chainId: number;
  readonly rpcUrl: string | null;
  readonly registry: string | null;
  readonly contract: string | null;
  readonly contractVersion: number | null;
  readonly abi: readonly Readonly<Record<string, unknown>>[];
  readonly confirmations: number;
  readonly explorerUrl: string | null;
}

export interface ChangeWebhookBody {
  readonly url?: string;
  readonly events?: readonly string[];
  readonly active?: boolean;
}

export interface ContainerView {
  readonly tokenId: number;
  readonly tlc: string;
  readonly depth: number;
  readonly status: string;
  readonly custodian: string;
}

export interface ContractBody {
  readonly wallet: string;
  readonly from?: string;
}

export interface ContractPreparedView {
  readonly preparedTx: PreparedTxView;
  readonly hints: HintsView;
  readonly warnings: readonly string[];
}

export interface CountsView {
  readonly events: number;
  readonly lots: number;
  readonly transfersOut: number;
  readonly answered: number;
  readonly accepted: number;
  readonly timedEvents: number;
  readonly kdeEvents: number;
  readonly documentEvents: number;
  readonly transformations: number;
  readonly pointers: number;
}

export interface CoverageView {
  readonly declared: number;
  readonly expected: number;
  readonly events: number | null;
  readonly mass: number | null;
}

export interface CustodianView {
  readonly address: string;
  readonly label: string;
  readonly labelKind: 'organization' | 'facility' | 'user' | 'partner' | 'contract' | 'address';
}

export interface CustodyHistoryView {
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  readonly totalIsLowerBound?: boolean;
  readonly data: readonly CustodyRecordView[];
}

export interface CustodyPrepareBody {
  readonly action?: 'offer' | 'accept' | 'reject' | 'cancel';
  readonly tokenIds?: readonly (number | string)[];
  readonly tokenId?: number | string;
  readonly to?: string;
  readonly processType?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly from?: string;
}

export interface CustodyRecordView {
  readonly transferId: string | null;
  readonly tokenId: number;
  readonly tlc: string;
  readonly status: 'mint' | 'pending' | 'accepted' | 'rejected' | 'cancelled' | 'direct';
  readonly from: string;
  readonly to: string;
  readonly fromLabel: string | null;
  readonly toLabel: string;
  readonly offeredAt: string | null;
  readonly acceptedAt: string | null;
  readonly closedAt: string | null;
  readonly timestamp: string;
  readonly durationSeconds: number | null;
  readonly viaContainerTokenId: number | null;
  readonly location: Readonly<Record<string, unknown>> | null;
  readonly documents: readonly Readonly<Record<string, unknown>>[];
  readonly eventId: string | null;
  readonly txHash: string;
  readonly acceptTxHash: string | null;
  readonly blockNumber: number;
}

export interface DataReferenceReportView {
  readonly report: string;
  readonly version: number;
  readonly tenantId: string;
  readonly generatedAt: string;
  readonly asOf: ReportAsOfView;
  readonly period: PeriodView;
  readonly orgId: string | null;
  readonly limit: number;
  readonly total: number | null;
  readonly truncated: boolean;
  readonly nextCursor: string | null;
  readonly summary: DataReferenceSummaryView;
  readonly pointers: readonly PointerView[];
}

export interface DataReferenceSummaryView {
  readonly total: number;
  readonly checked: number;
  readonly resolvedRatio: number | null;
  readonly matchRatio: number | null;
  readonly byKind: ByKindView;
  readonly sweep: SweepView;
}

export interface DeclarationView {
  readonly eventId: string;
  readonly ipfsCid: string;
  readonly dataHash: string;
  readonly preparedTx: PreparedTxView;
  readonly hints: HintsView;
  readonly warnings: readonly string[];
}

export interface DeliveryView {
  readonly id: string;
  readonly subscriptionId: string;
  readonly event: string;
  readonly url: string;
  readonly statusCode: number | null;
  readonly success: boolean;
  readonly attempt: number;
  readonly responseBody: string | null;
  readonly error: string | null;
  readonly createdAt: string;
  readonly status: 'pending' | 'sending' | 'retrying' | 'delivered' | 'failed' | 'discarded';
  readonly nextAttemptAt: string | null;
  readonly resends: number;
  readonly attempts: readonly AttemptView[];
}

export interface DistributionView {
  readonly min: number | null;
  readonly p10: number | null;
  readonly median: number | null;
  readonly p90: number | null;
  readonly max: number | null;
  readonly mean: number | null;
  readonly sd: number | null;
}

export interface DocumentView {
  readonly documentKey: string;
  readonly type: string | null;
  readonly number: string | null;
  readonly issuer: string | null;
  readonly validFrom: string | null;
  readonly validTo: string | null;
  readonly status: 'valid' | 'expiring' | 'expired' | 'undated';
  readonly cid: string | null;
  readonly url: string | null;
  readonly sha256: string | null;
  readonly visibility: string | null;
  readonly verification: 'verified' | 'mismatch' | 'unresolved' | 'not_checked';
  readonly conflict: boolean;
  readonly uses: number;
  readonly usedBy: readonly UseView[];
}

export interface DocumentsReportView {
  readonly report: string;
  readonly version: number;
  readonly tenantId: string;
  readonly generatedAt: string;
  readonly asOf: ReportAsOfView;
  readonly period: PeriodView;
  readonly orgId: string | null;
  readonly limit: number;
  readonly total: number | null;
  readonly truncated: boolean;
  readonly nextCursor: string | null;
  readonly summary: DocumentsSummaryView;
  readonly documents: readonly DocumentView[];
  readonly missing: readonly MissingView[];
}

export interface DocumentsSummaryView {
  readonly documents: number;
  readonly byType: Readonly<Record<string, unknown>>;
  readonly byStatus: Readonly<Record<string, unknown>>;
  readonly conflicts: number;
  readonly required: number;
  readonly present: number;
  readonly missing: number;
  readonly coverage: number | null;
  readonly missingTruncated: boolean;
}

export interface DrillBody {
  readonly tokenId?: number | string;
}

export interface DrillPageView {
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  readonly totalIsLowerBound?: boolean;
  readonly nextCursor: string | null;
  readonly data: readonly DrillView[];
}

export interface DrillView {
  readonly id: string;
  readonly tokenId: number;
  readonly tlc: string;
  readonly drawn: boolean;
  readonly startedAt: string;
  readonly startedBy: string;
  readonly score: number;
  readonly report: Readonly<Record<string, unknown>>;
}

export interface EffectsView {
  readonly eventIds: readonly string[];
  readonly tokenIds: readonly number[];
  readonly transferIds: readonly string[];
}

export interface EngineView {
  readonly kind: 'rules';
  readonly version: string;
  readonly narration: NarrationView | null;
}

export interface EventActorView {
  readonly address: string | null;
  readonly did: string | null;
  readonly orgId: string | null;
  readonly orgName: string | null;
}

export interface EventBatchBody {
  readonly events: readonly EventBody[];
}

export interface EventBatchView {
  readonly prepared: number;
  readonly refused: number;
  readonly data: readonly BatchItemView[];
}

export interface EventBody {
  readonly processType: string;
  readonly inputTokenIds?: readonly (number | string)[];
  readonly outputTlc?: string | null;
  readonly outputCustodian?: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly from?: string | null;
}

export interface EventInputView {
  readonly tokenId: number;
  readonly tlc: string | null;
  readonly assetType: string | null;
  readonly quantity: number | string | null;
  readonly uom: string | null;
  readonly consumption: string | null;
}

export interface EventOutputView {
  readonly tokenId: number | null;
  readonly tlc: string | null;
  readonly assetType: string | null;
  readonly role: 'main' | 'co_product' | null;
  readonly quantity: number | string | null;
  readonly uom: string | null;
  readonly custodian: string | null;
  readonly expiresAt: string | null;
}

export interface EventPageView {
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  readonly totalIsLowerBound?: boolean;
  readonly nextCursor: string | null;
  readonly data: readonly EventView[];
}

export interface EventRefView {
  readonly eventId: string;
  readonly processType: string | null;
}

export interface EventView {
  readonly id: string;
  readonly tenantId: string;
  readonly processType: string | null;
  readonly processId: string;
  readonly processLabel: string | null;
  readonly processMapName: string | null;
  readonly processMapVersion: string | null;
  readonly kind:
    | 'creation'
    | 'observation'
    | 'transformation'
    | 'aggregation'
    | 'disaggregation'
    | 'association'
    | 'transfer'
    | 'disposal'
    | null;
  readonly containmentMode: number;
  readonly status: 'prepared' | 'submitted' | 'recorded' | 'failed' | 'expired' | 'voided' | 'superseded';
  readonly eventTime: string | null;
  readonly eventTimeZoneOffset: string | null;
  readonly recordTime: string;
  readonly landedAt: string | null;
  readonly late: boolean;
  readonly actor: EventActorView;
  readonly inputTokenIds: readonly number[];
  readonly inputs: readonly EventInputView[];
  readonly outputTlc: string | null;
  readonly outputCustodian: string | null;
  readonly outputTokenIds: readonly number[];
  readonly outputs: readonly EventOutputView[];
  readonly location: Readonly<Record<string, unknown>> | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly ipfsCid: string | null;
  readonly dataHash: string | null;
  readonly documents: readonly Readonly<Record<string, unknown>>[];
  readonly kde: Readonly<Record<string, unknown>> | null;
  readonly mass: Readonly<Record<string, unknown>> | null;
  readonly warnings: readonly string[];
  readonly txHash: string | null;
  readonly blockNumber: number | null;
  readonly logIndex: number | null;
  readonly chainId: number;
  readonly contractAddress: string | null;
  readonly errorDeclaration: Readonly<Record<string, unknown>> | null;
  readonly supersedes: string | null;
  readonly supersededBy: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly calldataMismatch: boolean;
  readonly resolved: boolean;
  readonly confirmed: boolean;
}

export interface ExportFormatView {
  readonly name: string;
  readonly mediaType: string;
  readonly about: string;
  readonly footprint: boolean;
}

export interface FirstAdminBody {
  readonly email: string;
  readonly name?: string;
  readonly password?: string;
  readonly wallet: string;
}

export interface FootprintBasisView {
  readonly massKg: number | null;
  readonly remainingKg: number | null;
  readonly quantity: number | null;
  readonly remaining: number | null;
  readonly uom: string | null;
}

export interface FootprintMethodView {
  readonly allocation: string;
  readonly gwp: readonly string[];
  readonly standards: readonly string[];
  readonly engine: string;
}

export interface FootprintView {
  readonly tokenId: number;
  readonly tlc: string;
  readonly basis: FootprintBasisView;
  readonly indicators: IndicatorsView;
  readonly method: FootprintMethodView;
  readonly excludedUpstream: readonly LeftOutView[];
  readonly unallocated: readonly LeftOutView[];
  readonly nodeCount: number;
  readonly truncated: boolean;
  readonly frontier: readonly string[];
}

export interface ForgottenPassword {
  readonly email: string;
}

export interface Fsma204ReportView {
  readonly report: string;
  readonly version: number;
  readonly tenantId: string;
  readonly generatedAt: string;
  readonly asOf: ReportAsOfView;
  readonly period: PeriodView;
  readonly orgId: string | null;
  readonly limit: number;
  readonly total: number | null;
  readonly truncated: boolean;
  readonly nextCursor: string | null;
  readonly summary: SheetSummaryView;
  readonly rows: readonly SheetRowView[];
}

export interface GrantsView {
  readonly preparedTxs: readonly PreparedCallView[];
}

export interface GraphEdgeView {
  readonly from: number;
  readonly to: number;
  readonly kind: 'transformation' | 'containment';
  readonly eventId: string;
  readonly processType: string | null;
  readonly quantity: number | null;
  readonly uom: string | null;
  readonly inputShare: number | null;
  readonly outputShare: number | null;
}

export interface GraphNodeView {
  readonly tokenId: number;
  readonly tlc: string;
  readonly assetType: string | null;
  readonly assetTypeName: string | null;
  readonly status: 'retired' | 'recalled' | 'consumed' | 'in_transit' | 'aggregated' | 'on_hold' | 'expired' | 'active';
  readonly depth: number;
  readonly paths: number;
  readonly custodian: string;
  readonly eventId: string;
  readonly processType: string | null;
  readonly eventTime: string | null;
  readonly country: string | null;
  readonly share: number | null;
  readonly recalled: boolean;
  readonly recallAffected: boolean;
}

export interface GraphView {
  readonly truncated: boolean;
  readonly truncatedBy: 'maxDepth' | 'maxNodes' | 'maxEdges' | null;
  readonly frontier: readonly (number | string)[];
  readonly nextCursor: string | null;
  readonly asOf: AsOfView;
  readonly root: number;
  readonly direction: 'ancestors' | 'descendants';
  readonly nodes: readonly GraphNodeView[];
  readonly edges: readonly GraphEdgeView[];
  readonly depth: number;
  readonly nodeCount: number;
  readonly edgeCount: number;
  readonly tree?: Readonly<Record<string, unknown>>;
}

export interface HeldView {
  readonly tokenId: number;
  readonly onHold: boolean;
}

export interface HintsView {
  readonly from: string | null;
  readonly nonce: number | null;
  readonly maxFeePerGas: string | null;
  readonly maxPriorityFeePerGas: string | null;
}

export interface HoldBody {
  readonly reason: string;
}

export interface IdentityView {
  readonly sub: string;
  readonly email: string;
  readonly wallet: string | null;
  readonly did: string | null;
  readonly tid: string | null;
  readonly tenantUuid: string | null;
  readonly roles: readonly ('OPERATOR' | 'ADMIN' | 'AUDITOR' | 'COMPLIANCE' | 'TENANT_ADMIN')[];
  readonly roleScopes: Readonly<Record<string, unknown>>;
  readonly profileComplete: boolean;
  readonly isPlatformAdmin: boolean;
  readonly memberships: readonly MembershipView[];
  readonly username: string;
  readonly orgs: readonly OrgView[];
  readonly orgId: string | null;
  readonly stale: boolean;
}

export interface IndicatorView {
  readonly unit: string;
  readonly total: number | null;
  readonly onHand: number | null;
  readonly perKg: number | null;
  readonly perUnit: number | null;
  readonly lowerBound: boolean;
  readonly coverage: CoverageView;
  readonly primaryDataShare: number | null;
  readonly byProcess: Readonly<Record<string, unknown>>;
  readonly byCountry: Readonly<Record<string, unknown>>;
  readonly missing: readonly EventRefView[];
  readonly breakdown?: Readonly<Record<string, unknown>>;
}

export interface IndicatorsView {
  readonly carbon: IndicatorView;
  readonly water: IndicatorView;
  readonly energy: IndicatorView;
  readonly waste: IndicatorView;
}

export interface InsightView {
  readonly id: string;
  readonly severity: 'critical' | 'high' | 'medium' | 'low';
  readonly headline: string;
  readonly narrative: string;
  readonly relatedAlertIds: readonly string[];
}

export interface InventoryReportView {
  readonly report: string;
  readonly version: number;
  readonly tenantId: string;
  readonly generatedAt: string;
  readonly asOf: ReportAsOfView;
  readonly period: PeriodView;
  readonly orgId: string | null;
  readonly limit: number;
  readonly total: number | null;
  readonly truncated: boolean;
  readonly nextCursor: string | null;
  readonly summary: InventorySummaryView;
  readonly locations: readonly StockPlaceView[];
}

export interface InventorySummaryView {
  readonly lots: number;
  readonly quantity: Readonly<Record<string, unknown>>;
  readonly massKg: number | null;
  readonly unmeasuredLots: number;
  readonly byStatus: Readonly<Record<string, unknown>>;
  readonly recalledLots: number;
  readonly expiredLots: number;
  readonly earliestExpiry: string | null;
  readonly oldestLotAgeSeconds: number | null;
  readonly inTransitOutKg: number;
  readonly inTransitInKg: number;
  readonly locations: number;
}

export interface InvitationBody {
  readonly token: string;
  readonly password: string;
}

export interface InvitationView {
  readonly token?: string;
  readonly expiresAt: string;
}

export interface InvitedView {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly roles: readonly ('OPERATOR' | 'ADMIN' | 'AUDITOR' | 'COMPLIANCE' | 'TENANT_ADMIN')[];
  readonly roleScopes: Readonly<Record<string, unknown>>;
  readonly wallet: string | null;
  readonly orgId: string | null;
  readonly orgName: string | null;
  readonly createdAt: string;
  readonly revokedAt: string | null;
  readonly onChain: OnChainView | null;
  readonly invitation: InvitationView | null;
}

export interface IssueView {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

export interface KindView {
  readonly ok: number;
  readonly mismatch: number;
  readonly unresolved: number;
  readonly not_checked: number;
}

export interface LeftOutView {
  readonly eventId: string;
  readonly processType: string | null;
  readonly carbon?: number;
  readonly water?: number;
  readonly energy?: number;
  readonly waste?: number;
}

export interface LiftPrepareBody {
  readonly reason: string;
  readonly scope?: 'lot' | 'recall';
  readonly from?: string;
}

export interface LinkBody {
  readonly expiresInSeconds?: number;
}

export interface LinkView {
  readonly link: 'bytes_cid' | 'cid_data_hash' | 'data_hash_chain' | 'record_content' | 'record_chain';
  readonly status: 'ok' | 'mismatch' | 'unreachable' | 'not_landed';
  readonly detail: string;
}

export interface LoginRequest {
  readonly email: string;
  readonly password: string;
  readonly tenantId?: string;
}

export interface LoginResultView {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly partial: boolean;
  readonly stale: boolean;
}

export interface LotPageView {
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  readonly totalIsLowerBound?: boolean;
  readonly nextCursor: string | null;
  readonly data: readonly LotView[];
}

export interface LotView {
  readonly id: string;
  readonly tokenId: number;
  readonly tenantId: string;
  readonly tlc: string;
  readonly assetType: string | null;
  readonly assetTypeName: string | null;
  readonly processMapName: string | null;
  readonly status: 'retired' | 'recalled' | 'consumed' | 'in_transit' | 'aggregated' | 'on_hold' | 'expired' | 'active';
  readonly custodian: string;
  readonly custodianLabel: string;
  readonly custodianLabelKind: 'organization' | 'facility' | 'user' | 'partner' | 'contract' | 'address';
  readonly metadataCid: string;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly txHash: string;
  readonly blockNumber: number;
  readonly dataHash: string;
  readonly expiresAt: string | null;
  readonly pendingCustodian: string | null;
  readonly mintEventId: string;
  readonly eventCount: number;
  readonly createdAt: string;
  readonly quantity: number | null;
  readonly remainingQuantity: number | null;
  readonly uom: string | null;
  readonly gtin: string | null;
  readonly digitalLink: string | null;
  readonly containerTokenId: number | null;
  readonly processMapVersion: string | null;
  readonly location: Readonly<Record<string, unknown>> | null;
  readonly recalled: boolean;
  readonly recallAffected: boolean;
  readonly holdsRecalled: boolean;
  readonly onHold: boolean;
  readonly expired: boolean;
  readonly contained: boolean;
  readonly isContainer: boolean;
  readonly retireReason: string | null;
  readonly resolved: boolean;
  readonly confirmed: boolean;
}

export interface MemberBody {
  readonly email: string;
  readonly name?: string;
  readonly password?: string;
  readonly roles: readonly ('OPERATOR' | 'ADMIN' | 'AUDITOR' | 'COMPLIANCE' | 'TENANT_ADMIN')[];
  readonly roleScopes?: Readonly<Record<string, unknown>>;
  readonly wallet?: string | null;
  readonly orgId?: string | null;
}

export interface MemberChange {
  readonly roles?: readonly ('OPERATOR' | 'ADMIN' | 'AUDITOR' | 'COMPLIANCE' | 'TENANT_ADMIN')[];
  readonly roleScopes?: Readonly<Record<string, unknown>>;
  readonly wallet?: string | null;
  readonly orgId?: string | null;
}

export interface MemberPageView {
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  readonly totalIsLowerBound?: boolean;
  readonly nextCursor: string | null;
  readonly data: readonly MemberView[];
}

export interface MemberView {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly roles: readonly ('OPERATOR' | 'ADMIN' | 'AUDITOR' | 'COMPLIANCE' | 'TENANT_ADMIN')[];
  readonly roleScopes: Readonly<Record<string, unknown>>;
  readonly wallet: string | null;
  readonly orgId: string | null;
  readonly orgName: string | null;
  readonly createdAt: string;
  readonly revokedAt: string | null;
  readonly onChain: OnChainView | null;
}

export interface MembershipView {
  readonly slug: string;
  readonly name: string;
  readonly onChainTenantId: string;
  readonly tenantContractAddress: string | null;
}

export interface MetricsView {
  readonly acceptanceRate: number | null;
  readonly onTimeAcceptance: number | null;
  readonly medianPendingSeconds: number | null;
  readonly p95PendingSeconds: number | null;
  readonly recordingOnTime: number | null;
  readonly medianRecordingDelaySeconds: number | null;
  readonly kdeCompleteness: number | null;
  readonly documentCoverage: number | null;
  readonly pointerMatch: number | null;
  readonly massBalanceConformity: number | null;
  readonly recallRate: number | null;
  readonly affectedRate: number | null;
  readonly yieldIndex: number | null;
  readonly carbonPerKg: number | null;
}

export interface MissingView {
  readonly eventId: string;
  readonly processType: string;
  readonly type: string;
}

export interface MonthView {
  readonly month: string;
  readonly n: number;
  readonly inputKg: number;
  readonly mainOutputKg: number;
  readonly yield: number | null;
}

export interface NarrationView {
  readonly text: string;
  readonly model: string;
  readonly writtenAt: string;
}

export interface OnChainView {
  readonly roles: readonly string[];
  readonly processes: readonly string[];
  readonly agrees: boolean;
}

export interface OpenedAdminView {
  readonly id: string;
  readonly invitation: InvitationView | null;
}

export interface OpenedTenantView {
  readonly preparedTx: PreparedTxView;
  readonly hints: HintsView;
  readonly warnings: readonly string[];
  readonly tenant: TenantView;
  readonly admin: OpenedAdminView;
}

export interface OrgView {
  readonly id: string;
  readonly name: string;
  readonly did: string | null;
  readonly lei: string | null;
  readonly gln: string | null;
  readonly role: 'OPERATOR' | 'ADMIN' | 'AUDITOR' | 'COMPLIANCE' | 'TENANT_ADMIN' | null;
}

export interface OrgWalletBody {
  readonly address: string;
  readonly siteId?: string | null;
  readonly label?: string | null;
}

export interface OrgWalletView {
  readonly address: string;
  readonly siteId: string | null;
  readonly userId: string | null;
  readonly label: string | null;
}

export interface OrganisationBody {
  readonly name: string;
  readonly did?: string | null;
  readonly lei?: string | null;
  readonly gln?: string | null;
  readonly publicProfile?: Readonly<Record<string, unknown>>;
}

export interface OrganisationChange {
  readonly name?: string;
  readonly did?: string | null;
  readonly lei?: string | null;
  readonly gln?: string | null;
  readonly publicProfile?: Readonly<Record<string, unknown>>;
}

export interface OrganisationPageView {
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  readonly totalIsLowerBound?: boolean;
  readonly nextCursor: string | null;
  readonly data: readonly OrganisationView[];
}

export interface OrganisationView {
  readonly id: string;
  readonly name: string;
  readonly did: string | null;
  readonly lei: string | null;
  readonly gln: string | null;
  readonly publicProfile: Readonly<Record<string, unknown>>;
  readonly sites: readonly SiteView[];
  readonly wallets: readonly OrgWalletView[];
  readonly createdAt: string;
}

export interface OutlierView {
  readonly eventId: string;
  readonly outputTlc: string | null;
  readonly yield: number;
  readonly z: number | null;
}

export interface OutputBody {
  readonly tlc: string;
  readonly assetType: string;
  readonly custodian: string;
  readonly quantity?: number;
  readonly uom?: string;
  readonly expiresAt?: string;
}

export interface PassportPageView {
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  readonly totalIsLowerBound?: boolean;
  readonly data: readonly PassportView[];
}

export interface PassportSettingsBody {
  readonly enabled?: boolean;
  readonly showIntegrity?: boolean;
  readonly resolver?: string | null;
}

export interface PassportSettingsView {
  readonly enabled: boolean;
  readonly showIntegrity: boolean;
  readonly resolver: string | null;
}

export interface PassportView {
  readonly id: string;
  readonly tokenId: number;
  readonly tlc: string;
  readonly gtin: string | null;
  readonly url: string;
  readonly digitalLink: string | null;
  readonly version: number;
  readonly issuedAt: string;
  readonly lastUpdated: string;
  readonly withdrawnAt: string | null;
  readonly withdrawnReason: string | null;
}

export interface PasswordChange {
  readonly currentPassword: string;
  readonly password: string;
}

export interface PasswordReset {
  readonly token: string;
  readonly password: string;
}

export interface PausedView {
  readonly since: string;
  readonly reason: string;
}

export interface PeriodView {
  readonly from: string | null;
  readonly to: string | null;
}

export interface PointerView {
  readonly pointerId: string;
  readonly kind: 'cid' | 'dataHash' | 'tx' | 'nft' | 'document' | 'ext';
  readonly subject: PointingView;
  readonly value: string;
  readonly resolved: boolean | null;
  readonly matches: boolean | null;
  readonly status: 'mismatch' | 'unresolved' | 'not_checked' | 'ok';
  readonly checkedAt: string;
  readonly latencyMs: number | null;
  readonly detail: string;
}

export interface PointingView {
  readonly kind: 'lot' | 'event';
  readonly id: string;
  readonly tokenId: number | null;
  readonly tlc: string | null;
}

export interface PreparedCallView {
  readonly method: string;
  readonly preparedTx: PreparedTxView;
  readonly hints: HintsView;
  readonly warnings: readonly string[];
}

export interface PreparedCustodyView {
  readonly preparedTx: PreparedTxView;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly hints: HintsView;
  readonly transferIds?: readonly string[];
  readonly eventId?: string;
  readonly ipfsCid?: string;
  readonly warnings: readonly string[];
}

export interface PreparedEventView {
  readonly eventId: string;
  readonly ipfsCid: string;
  readonly preparedTx: PreparedTxView;
  readonly outputTlc: string | null;
  readonly dataHash: string;
  readonly hints: HintsView;
  readonly warnings: readonly string[];
}

export interface PreparedGenericView {
  readonly preparedTx: PreparedTxView;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly hints: HintsView;
  readonly warnings: readonly string[];
}

export interface PreparedLiftView {
  readonly preparedTx: PreparedTxView;
  readonly preparedTxs?: readonly PreparedTxView[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly hints: HintsView;
  readonly ipfsCid: string;
  readonly warnings: readonly string[];
}

export interface PreparedRecallView {
  readonly preparedTx: PreparedTxView;
  readonly preparedTxs?: readonly PreparedTxView[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly hints: HintsView;
  readonly ipfsCid: string;
  readonly warnings: readonly string[];
}

export interface PreparedRetirementView {
  readonly preparedTx: PreparedTxView;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly hints: HintsView;
  readonly ipfsCid?: string;
  readonly warnings: readonly string[];
}

export interface PreparedTxView {
  readonly to: string;
  readonly data: string;
  readonly gasEstimate: number;
  readonly chainId: number;
}

export interface PreparedVoidView {
  readonly eventId: string;
  readonly ipfsCid: string;
  readonly dataHash: string;
  readonly preparedTx: PreparedTxView;
  readonly hints: HintsView;
  readonly warnings: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly instance: string;
  readonly requestId: string;
  readonly errors?: readonly {
    readonly pointer: string;
    readonly code: string;
    readonly message: string;
  }[];
}

export interface ProcessMapDocumentView {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly cid: string;
  readonly publishedAt: string;
  readonly publishedBy: string;
  readonly processes: readonly ProcessView[];
  readonly versions: readonly string[];
  readonly document: Readonly<Record<string, unknown>>;
}

export interface ProcessMapPageView {
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  readonly totalIsLowerBound?: boolean;
  readonly nextCursor: string | null;
  readonly data: readonly ProcessMapView[];
}

export interface ProcessMapVerdictView {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly cid: string;
  readonly publishedAt: string;
  readonly publishedBy: string;
  readonly processes: readonly ProcessView[];
  readonly published: boolean;
}

export interface ProcessMapView {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly cid: string;
  readonly publishedAt: string;
  readonly publishedBy: string;
  readonly processes: readonly ProcessView[];
}

export interface ProcessView {
  readonly processType: string;
  readonly processId: string;
  readonly label: string;
  readonly kind: string;
}

export interface ProcessYieldView {
  readonly processType: string | null;
  readonly label: string | null;
  readonly n: number;
  readonly unmeasured: number;
  readonly inputKg: number;
  readonly mainOutputKg: number;
  readonly coProductKg: number;
  readonly declaredLossKg: number;
  readonly gapKg: number;
  readonly yield: number | null;
  readonly materialYield: number | null;
  readonly gapRatio: number | null;
  readonly distribution: DistributionView;
  readonly expected: RangeView | null;
  readonly outlierCount: number;
  readonly outliers: readonly OutlierView[];
  readonly byMonth: readonly MonthView[];
}

export interface RangeView {
  readonly min: number;
  readonly max: number;
}

export interface RateView {
  readonly perMinute: number;
}

export interface RecallImpactView {
  readonly descendants: readonly AffectedLotView[];
  readonly affectedActors: readonly string[];
  readonly estimatedUnits: number;
  readonly containers: readonly ContainerView[];
  readonly actors: readonly AffectedActorView[];
  readonly unitsByAssetType: readonly UnitsView[];
  readonly quantities: Readonly<Record<string, unknown>>;
  readonly countries: readonly string[];
  readonly reconciliation: Readonly<Record<string, unknown>>;
  readonly truncated: boolean;
  readonly truncatedBy: 'maxDepth' | 'maxNodes' | null;
  readonly frontier: readonly (number | string)[];
  readonly nextCursor: string | null;
  readonly asOf: Readonly<Record<string, unknown>>;
  readonly elapsedMs: number;
}

export interface RecallPageView {
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  readonly totalIsLowerBound?: boolean;
  readonly nextCursor: string | null;
  readonly data: readonly RecallView[];
}

export interface RecallPrepareBody {
  readonly reason: string;
  readonly recallClass?: 'I' | 'II' | 'III' | 'withdrawal' | 'unclassified';
  readonly depth?: 'consumer' | 'retail' | 'wholesale';
  readonly propagation?: 'none' | 'flag' | 'hold' | 'recall';
  readonly reference?: string;
  readonly instructions?: string;
  readonly from?: string;
}

export interface RecallView {
  readonly id: string;
  readonly reason: string | null;
  readonly recallClass: 'I' | 'II' | 'III' | 'withdrawal' | 'unclassified' | null;
  readonly depth: 'consumer' | 'retail' | 'wholesale' | null;
  readonly propagation: 'none' | 'flag' | 'hold' | 'recall';
  readonly reference: string | null;
  readonly instructions: string | null;
  readonly resolved: boolean;
  readonly recalledBy: string;
  readonly recalledAt: string;
  readonly blockNumber: number;
  readonly txHash: string;
  readonly open: boolean;
  readonly lots: readonly RecalledLotView[];
  readonly affectedCount: number;
  readonly affectedWhenPrepared: number | null;
  readonly preparedAtBlock: number | null;
  readonly holdsReleasedAt: string | null;
}

export interface RecalledLotView {
  readonly tokenId: number;
  readonly liftedAt: string | null;
  readonly liftedBy: string | null;
}

export interface RecoverBody {
  readonly since: string;
}

export interface RecoveringView {
  readonly deliveries: number;
}

export interface RefreshRequest {
  readonly refreshToken: string;
}

export interface RegisterWebhookBody {
  readonly url: string;
  readonly events: readonly string[];
}

export interface RelatedLotView {
  readonly id: string;
  readonly tokenId: number;
  readonly tenantId: string;
  readonly tlc: string;
  readonly assetType: string | null;
  readonly assetTypeName: string | null;
  readonly processMapName: string | null;
  readonly status: 'retired' | 'recalled' | 'consumed' | 'in_transit' | 'aggregated' | 'on_hold' | 'expired' | 'active';
  readonly custodian: string;
  readonly custodianLabel: string;
  readonly custodianLabelKind: 'organization' | 'facility' | 'user' | 'partner' | 'contract' | 'address';
  readonly metadataCid: string;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly txHash: string;
  readonly blockNumber: number;
  readonly dataHash: string;
  readonly expiresAt: string | null;
  readonly pendingCustodian: string | null;
  readonly mintEventId: string;
  readonly eventCount: number;
  readonly createdAt: string;
  readonly quantity: number | null;
  readonly remainingQuantity: number | null;
  readonly uom: string | null;
  readonly gtin: string | null;
  readonly digitalLink: string | null;
  readonly containerTokenId: number | null;
  readonly processMapVersion: string | null;
  readonly location: Readonly<Record<string, unknown>> | null;
  readonly recalled: boolean;
  readonly recallAffected: boolean;
  readonly holdsRecalled: boolean;
  readonly onHold: boolean;
  readonly expired: boolean;
  readonly contained: boolean;
  readonly isContainer: boolean;
  readonly retireReason: string | null;
  readonly resolved: boolean;
  readonly confirmed: boolean;
  readonly edge: GraphEdgeView;
}

export interface RelationsView {
  readonly tokenId: number;
  readonly parents: readonly RelatedLotView[];
  readonly children: readonly RelatedLotView[];
  readonly container: LotView | null;
  readonly contents: readonly LotView[];
  readonly siblings: readonly LotView[];
  readonly truncated: boolean;
}

export interface ReleasedView {
  readonly released: number;
}

export interface ReplacementBody {
  readonly from?: string;
  readonly wallet: string;
}

export interface ReplacementView {
  readonly preparedTxs: readonly PreparedCallView[];
  readonly acceptance: PreparedCallView;
}

export interface ReportAsOfView {
  readonly blockNumber: number;
  readonly finalBlockNumber: number | null;
}

export interface RetiredQuantity {
  readonly value: number;
  readonly uom: string;
}

export interface RetirementBody {
  readonly reason: 'sold' | 'disposed' | 'destroyed' | 'lost' | 'sampled' | 'exported' | 'migrated';
  readonly quantity?: RetiredQuantity;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly from?: string;
}

export interface RotateBody {
  readonly overlapSeconds?: number;
}

export interface RotateSecretBody {
  readonly gracePeriodSeconds?: number;
}

export interface RulesBody {
  readonly blockExpired?: boolean;
  readonly blockRecallAffected?: boolean;
}

export interface RulesView {
  readonly blockExpired: boolean;
  readonly blockRecallAffected: boolean;
}

export interface SenderBody {
  readonly from?: string;
}

export interface SheetRowView {
  readonly eventId: string | null;
  readonly cte: string | null;
  readonly eventDate: string | null;
  readonly eventTimeZone: string | null;
  readonly tlc: string | null;
  readonly internalLotCode: string | null;
  readonly productDescription: string | null;
  readonly gtin: string | null;
  readonly quantity: number | null;
  readonly unit: string | null;
  readonly locationName: string | null;
  readonly locationPhone: string | null;
  readonly locationStreet: string | null;
  readonly locationCity: string | null;
  readonly locationRegion: string | null;
  readonly locationPostalCode: string | null;
  readonly locationCountry: string | null;
  readonly previousSourceName: string | null;
  readonly previousSourcePhone: string | null;
  readonly previousSourceStreet: string | null;
  readonly previousSourceCity: string | null;
  readonly previousSourceRegion: string | null;
  readonly previousSourcePostalCode: string | null;
  readonly previousSourceCountry: string | null;
  readonly subsequentRecipientName: string | null;
  readonly subsequentRecipientPhone: string | null;
  readonly subsequentRecipientStreet: string | null;
  readonly subsequentRecipientCity: string | null;
  readonly subsequentRecipientRegion: string | null;
  readonly subsequentRecipientPostalCode: string | null;
  readonly subsequentRecipientCountry: string | null;
  readonly tlcSourceName: string | null;
  readonly tlcSourcePhone: string | null;
  readonly tlcSourceStreet: string | null;
  readonly tlcSourceCity: string | null;
  readonly tlcSourceRegion: string | null;
  readonly tlcSourcePostalCode: string | null;
  readonly tlcSourceCountry: string | null;
  readonly tlcSourceReference: string | null;
  readonly referenceDocumentType: string | null;
  readonly referenceDocumentNumber: string | null;
  readonly harvestDate: string | null;
  readonly fieldName: string | null;
  readonly harvesterName: string | null;
  readonly harvesterPhone: string | null;
  readonly coolingLocation: string | null;
  readonly coolingDate: string | null;
  readonly packingDate: string | null;
  readonly inputTlc: string | null;
  readonly inputProduct: string | null;
  readonly inputQuantity: number | null;
  readonly inputUnit: string | null;
}

export interface SheetSummaryView {
  readonly rows: number;
  readonly events: number;
}

export interface SiteBody {
  readonly name: string;
  readonly gln?: string | null;
  readonly location?: Readonly<Record<string, unknown>>;
}

export interface SiteView {
  readonly id: string;
  readonly name: string;
  readonly gln: string | null;
  readonly location: Readonly<Record<string, unknown>> | null;
}

export interface SiweRequest {
  readonly message: string;
  readonly signature: string;
  readonly tenantId?: string;
}

export interface StockItemView {
  readonly lots: number;
  readonly quantity: Readonly<Record<string, unknown>>;
  readonly massKg: number | null;
  readonly unmeasuredLots: number;
  readonly byStatus: Readonly<Record<string, unknown>>;
  readonly recalledLots: number;
  readonly expiredLots: number;
  readonly earliestExpiry: string | null;
  readonly oldestLotAgeSeconds: number | null;
  readonly inTransitOutKg: number;
  readonly inTransitInKg: number;
  readonly assetType: string | null;
  readonly assetTypeName: string | null;
}

export interface StockPlaceView {
  readonly locationKey: string;
  readonly location: Readonly<Record<string, unknown>> | null;
  readonly custodians: readonly CustodianView[];
  readonly items: readonly StockItemView[];
  readonly totals: StockTotalsView;
}

export interface StockTotalsView {
  readonly lots: number;
  readonly quantity: Readonly<Record<string, unknown>>;
  readonly massKg: number | null;
  readonly unmeasuredLots: number;
  readonly byStatus: Readonly<Record<string, unknown>>;
  readonly recalledLots: number;
  readonly expiredLots: number;
  readonly earliestExpiry: string | null;
  readonly oldestLotAgeSeconds: number | null;
  readonly inTransitOutKg: number;
  readonly inTransitInKg: number;
}

export interface SubjectView {
  readonly kind: 'lot' | 'event' | 'transfer' | 'transaction' | 'subscription' | 'pointer';
  readonly id: string;
  readonly tokenId: number | null;
  readonly tlc: string | null;
}

export interface SupersedeBody {
  readonly reason?: 'did_not_occur' | 'incorrect_data';
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly from?: string | null;
}

export interface SupplierView {
  readonly orgId: string;
  readonly name: string;
  readonly lei: string | null;
  readonly gln: string | null;
  readonly n: CountsView;
  readonly massSuppliedKg: number;
  readonly metrics: MetricsView;
  readonly score: number | null;
  readonly grade: string | null;
}

export interface SuppliersReportView {
  readonly report: string;
  readonly version: number;
  readonly tenantId: string;
  readonly generatedAt: string;
  readonly asOf: ReportAsOfView;
  readonly period: PeriodView;
  readonly orgId: string | null;
  readonly limit: number;
  readonly total: number | null;
  readonly truncated: boolean;
  readonly nextCursor: string | null;
  readonly summary: SuppliersSummaryView;
  readonly organizations: readonly SupplierView[];
}

export interface SuppliersSummaryView {
  readonly organizations: number;
  readonly massSuppliedKg: number;
}

export interface SuspendBody {
  readonly reason?: string;
}

export interface SweepView {
  readonly eventBlock: number;
  readonly tokenId: number;
  readonly lapBeganAt: string | null;
  readonly lapEndedAt: string | null;
}

export interface TenantBody {
  readonly slug: string;
  readonly name: string;
  readonly environment?: 'sandbox' | 'production';
  readonly tier?: string;
  readonly admin: FirstAdminBody;
  readonly from?: string;
}

export interface TenantChoice {
  readonly tenantId: string;
}

export interface TenantPageView {
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  readonly totalIsLowerBound?: boolean;
  readonly nextCursor: string | null;
  readonly data: readonly TenantView[];
}

export interface TenantView {
  readonly tenantId: string;
  readonly tenantUuid: string;
  readonly name: string;
  readonly environment: 'sandbox' | 'production';
  readonly tier: string;
  readonly status: 'active' | 'suspended';
  readonly onChainTenantId: string;
  readonly contract: string | null;
  readonly contractVersion: number | null;
  readonly createdAt: string;
}

export interface TestSentView {
  readonly deliveryId: string;
}

export interface TierBody {
  readonly tier: string;
}

export interface TopicView {
  readonly topic:
    | 'event.recorded'
    | 'nft.created'
    | 'nft.recalled'
    | 'custody.transferred'
    | 'transaction.confirmed'
    | 'transaction.failed'
    | 'webhook.test';
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example: Readonly<Record<string, unknown>>;
}

export interface TrackBody {
  readonly txHash: string;
  readonly type?: string;
}

export interface TrackedPageView {
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  readonly totalIsLowerBound?: boolean;
  readonly nextCursor: string | null;
  readonly data: readonly TrackedView[];
}

export interface TrackedView {
  readonly trackingId: string | null;
  readonly txHash: string;
  readonly type: string;
  readonly status: string;
  readonly chainId: number;
  readonly from: string | null;
  readonly to: string | null;
  readonly nonce: number | null;
  readonly confirmations: number;
  readonly requiredConfirmations: number;
  readonly blockNumber: number | null;
  readonly blockHash: string | null;
  readonly gasUsed: string | null;
  readonly effectiveGasPrice: string | null;
  readonly revertReason: string | null;
  readonly replacedBy: string | null;
  readonly eventId: string | null;
  readonly effects: EffectsView;
  readonly submittedAt: string | null;
  readonly lastCheckedAt: string | null;
  readonly confirmedAt: string | null;
  readonly error: string | null;
}

export interface TrackingView {
  readonly trackingId: string;
  readonly txHash: string;
}

export interface TransferPageView {
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  readonly totalIsLowerBound?: boolean;
  readonly nextCursor: string | null;
  readonly data: readonly TransferView[];
}

export interface TransferView {
  readonly timestamp: string;
  readonly from: string;
  readonly to: string;
  readonly txHash: string;
  readonly transferId: string;
  readonly tokenId: number;
  readonly tlc: string | null;
  readonly status: 'pending' | 'accepted' | 'rejected' | 'cancelled' | 'direct';
  readonly offeredAt: string | null;
  readonly acceptedAt: string | null;
  readonly viaContainerTokenId: number | null;
  readonly eventId: string | null;
  readonly blockNumber: number;
}

export interface TxPrepareBody {
  readonly method: string;
  readonly processId: string;
  readonly inputTokenIds?: readonly (number | string)[];
  readonly outputs?: readonly OutputBody[];
  readonly containmentMode?: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly from?: string;
}

export interface UnitsView {
  readonly assetType: string | null;
  readonly assetTypeName: string | null;
  readonly lots: number;
  readonly units: number;
}

export interface UsageView {
  readonly tier: string;
  readonly month: string;
  readonly requests: RateView;
  readonly events: UsedView;
  readonly storedBytes: UsedView;
  readonly apiKeys: UsedView;
  readonly subscriptions: UsedView;
}

export interface UseView {
  readonly eventId: string;
  readonly processType: string | null;
  readonly tokenIds: readonly number[];
  readonly tlcs: readonly string[];
}

export interface UsedView {
  readonly used: number;
  readonly limit: number;
}

export interface ValidationView {
  readonly valid: boolean;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

export interface VerdictView {
  readonly valid: boolean;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  readonly issues: readonly IssueView[];
}

export interface VerificationView {
  readonly eventId: string;
  readonly status: 'ok' | 'mismatch' | 'unreachable' | 'not_landed';
  readonly checkedAt: string;
  readonly ipfsCid: string | null;
  readonly dataHash: string | null;
  readonly txHash: string | null;
  readonly links: readonly LinkView[];
}

export interface VoidBody {
  readonly reason: 'did_not_occur' | 'incorrect_data';
  readonly correctiveEventIDs?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly from?: string | null;
}

export interface WebhookView {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly active: boolean;
  readonly createdAt: string;
  readonly paused: PausedView | null;
}

export interface WebhookWithSecretView {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly active: boolean;
  readonly createdAt: string;
  readonly paused: PausedView | null;
  readonly secret?: string;
}

export interface WithdrawBody {
  readonly reason: string;
}

export interface YieldChainView {
  readonly from: string;
  readonly to: string;
  readonly route: readonly string[];
  readonly rolledYield: number | null;
  readonly throughKg: number;
}

export interface YieldReportView {
  readonly report: string;
  readonly version: number;
  readonly tenantId: string;
  readonly generatedAt: string;
  readonly asOf: ReportAsOfView;
  readonly period: PeriodView;
  readonly orgId: string | null;
  readonly limit: number;
  readonly total: number | null;
  readonly truncated: boolean;
  readonly nextCursor: string | null;
  readonly summary: YieldSummaryView;
  readonly processes: readonly ProcessYieldView[];
  readonly chains: readonly YieldChainView[];
}

export interface YieldSummaryView {
  readonly processes: number;
  readonly n: number;
  readonly unmeasured: number;
  readonly outlierCount: number;
  readonly finishedPerRaw: number | null;
  readonly chainsTruncated: boolean;
}

export interface Operations {
  'DELETE /api/v1/api-keys/{id}': { query: Record<string, never>; body: undefined; answer: undefined };
  'DELETE /api/v1/events/{id}': { query: Record<string, never>; body: undefined; answer: undefined };
  'DELETE /api/v1/organisations/{id}/sites/{siteId}': { query: Record<string, never>; body: undefined; answer: undefined };
  'DELETE /api/v1/organisations/{id}/wallets/{address}': { query: Record<string, never>; body: undefined; answer: undefined };
  'DELETE /api/v1/reports/alerts/{alertId}/ack': { query: Record<string, never>; body: undefined; answer: undefined };
  'DELETE /api/v1/webhooks/{id}': { query: Record<string, never>; body: undefined; answer: undefined };
  'DELETE /api/v2/members/{id}': { query: Record<string, never>; body: undefined; answer: undefined };
  'GET /.well-known/jwks.json': {
    query: Record<string, never>;
    body: undefined;
    answer: {
      readonly keys: readonly {
        readonly kty: string;
        readonly crv: string;
        readonly x: string;
        readonly y: string;
        readonly kid: string;
        readonly alg: string;
        readonly use: string;
      }[];
    };
  };
  'GET /01/{gtin}/10/{lot}': {
    query: { linkType?: unknown };
    body: undefined;
    answer: {
      readonly passportId: string | null;
      readonly passportStatus: 'draft' | 'active' | 'recalled' | 'expired' | 'retired';
      readonly version: number;
      readonly issuedAt: string | null;
      readonly lastUpdated: string | null;
      readonly recalls: readonly {
        readonly recallClass: string | null;
        readonly reason: string | null;
        readonly instructions: string | null;
        readonly date: string;
      }[];
      readonly product: {
        readonly granularity: 'batch';
        readonly name: string;
        readonly description: string | null;
        readonly category: string | null;
        readonly hsCode: string | null;
        readonly gtin: string | null;
        readonly lot: string;
        readonly producedOn: string | null;
        readonly bestBefore: string | null;
        readonly expired: boolean;
        readonly retired: {
          readonly reason: string;
          readonly month: string;
        };
        readonly attributes: Readonly<Record<string, unknown>>;
      };
      readonly operator: {
        readonly name: string;
        readonly lei: string | null;
        readonly gln: string | null;
        readonly contact: Readonly<Record<string, unknown>>;
      };
      readonly origin: {
        readonly steps: readonly {
          readonly process: string;
          readonly country: string | null;
          readonly region: string | null;
          readonly month: string | null;
          readonly verifiedRatio: number | null;
          readonly attributes: Readonly<Record<string, unknown>>;
        }[];
        readonly complete: boolean;
      };
      readonly footprint: Readonly<Record<string, unknown>> | null;
      readonly certificates: readonly Readonly<Record<string, unknown>>[];
      readonly traceability: {
        readonly verifiedRatio: number | null;
        readonly chainOfCustody: string | null;
        readonly claimShare: number | null;
      };
      readonly integrity: Readonly<Record<string, unknown>> | null;
      readonly links: {
        readonly self: string;
        readonly digitalLink: string | null;
        readonly label: string | null;
        readonly bundle: string | null;
      };
    };
  };
  'GET /api/v1/api-keys': { query: { page?: number; limit?: number }; body: undefined; answer: ApiKeyPageView };
  'GET /api/v1/audit': {
    query: {
      page?: number;
      limit?: number;
      action?:
        | 'login.succeeded'
        | 'login.failed'
        | 'tenant.selected'
        | 'logout'
        | 'session.revoked'
        | 'password.changed'
        | 'password.link_requested'
        | 'invitation.accepted'
        | 'member.added'
        | 'member.changed'
        | 'member.removed'
        | 'member.grants_prepared'
        | 'member.wallet_replacement_prepared'
        | 'organisation.created'
        | 'organisation.changed'
        | 'api_key.created'
        | 'api_key.rotated'
        | 'api_key.revoked'
        | 'webhook.created'
        | 'webhook.changed'
        | 'webhook.secret_rotated'
        | 'webhook.resumed'
        | 'webhook.deleted'
        | 'process_map.published'
        | 'tenant.created'
        | 'tenant.suspended'
        | 'tenant.tier_changed'
        | 'passport.evidence_shared'
        | 'passport.reinstated'
        | 'passport.withdrawn'
        | 'passports.changed'
        | 'rules.changed'
        | 'tenant.resumed';
      actorId?: string;
      subject?: string;
      from?: string;
      to?: string;
    };
    body: undefined;
    answer: AuditPageView;
  };
  'GET /api/v1/chain': { query: Record<string, never>; body: undefined; answer: ChainView };
  'GET /api/v1/custody/org/{orgId}': {
    query: {
      page?: number;
      limit?: number;
      direction?: 'in' | 'out';
      cursor?: string;
      status?: 'pending' | 'accepted' | 'rejected' | 'cancelled' | 'direct' | 'completed' | 'all';
    };
    body: undefined;
    answer: TransferPageView;
  };
  'GET /api/v1/custody/org/{orgId}/offers': {
    query: { page?: number; limit?: number; direction?: 'in' | 'out'; cursor?: string };
    body: undefined;
    answer: TransferPageView;
  };
  'GET /api/v1/events': {
    query: {
      page?: number;
      limit?: number;
      cursor?: string;
      format?: string;
      all?: boolean;
      processType?: string;
      kind?: 'creation' | 'observation' | 'transformation' | 'aggregation' | 'disaggregation' | 'association' | 'transfer' | 'disposal';
      status?: 'landed' | 'prepared' | 'submitted' | 'recorded' | 'failed' | 'expired' | 'voided' | 'superseded' | 'all';
      tokenId?: number | string;
      tlc?: string;
      orgId?: string;
      from?: string;
      to?: string;
    };
    body: undefined;
    answer: EventPageView;
  };
  'GET /api/v1/events/{id}': { query: { format?: string }; body: undefined; answer: EventView };
  'GET /api/v1/events/{id}/content': { query: Record<string, never>; body: undefined; answer: Readonly<Record<string, unknown>> };
  'GET /api/v1/events/{id}/verify': { query: Record<string, never>; body: undefined; answer: VerificationView };
  'GET /api/v1/exports': { query: Record<string, never>; body: undefined; answer: readonly ExportFormatView[] };
  'GET /api/v1/nfts': {
    query: {
      page?: number;
      limit?: number;
      status?: 'retired' | 'recalled' | 'consumed' | 'in_transit' | 'aggregated' | 'on_hold' | 'expired' | 'active';
      assetType?: string;
      custodian?: string;
      orgId?: string;
      tlc?: string;
      processMap?: string;
      createdFrom?: string;
      createdTo?: string;
      expiringBefore?: string;
      recalled?: boolean;
      sort?: '-tokenId' | 'tokenId' | 'expiresAt' | 'tlc';
      asOf?: string;
      cursor?: string;
    };
    body: undefined;
    answer: LotPageView;
  };
  'GET /api/v1/nfts/by-tlc/{tlc}': { query: { asOf?: string }; body: undefined; answer: LotView };
  'GET /api/v1/nfts/{tokenId}': { query: { asOf?: string }; body: undefined; answer: LotView };
  'GET /api/v1/nfts/{tokenId}/ancestry': {
    query: {
      maxDepth?: number;
      maxNodes?: number;
      edges?: 'transformation' | 'containment' | 'all';
      format?: 'graph' | 'tree';
      asOf?: string;
      cursor?: string;
    };
    body: undefined;
    answer: GraphView;
  };
  'GET /api/v1/nfts/{tokenId}/custody': { query: { page?: number; limit?: number }; body: undefined; answer: CustodyHistoryView };
  'GET /api/v1/nfts/{tokenId}/descendants': {
    query: {
      maxDepth?: number;
      maxNodes?: number;
      edges?: 'transformation' | 'containment' | 'all';
      format?: 'graph' | 'tree';
      asOf?: string;
      cursor?: string;
    };
    body: undefined;
    answer: GraphView;
  };
  'GET /api/v1/nfts/{tokenId}/events': {
    query: { page?: number; limit?: number; cursor?: string; format?: string; all?: boolean; tree?: boolean };
    body: undefined;
    answer: EventPageView;
  };
  'GET /api/v1/nfts/{tokenId}/exports/{format}': {
    query: Record<string, never>;
    body: undefined;
    answer: Readonly<Record<string, unknown>>;
  };
  'GET /api/v1/nfts/{tokenId}/footprint': {
    query: { maxDepth?: number; maxNodes?: number; asOf?: string };
    body: undefined;
    answer: FootprintView;
  };
  'GET /api/v1/nfts/{tokenId}/passport': { query: Record<string, never>; body: undefined; answer: Readonly<Record<string, unknown>> };
  'GET /api/v1/nfts/{tokenId}/recall-impact': {
    query: { maxDepth?: number; maxNodes?: number; asOf?: string; cursor?: string };
    body: undefined;
    answer: RecallImpactView;
  };
  'GET /api/v1/nfts/{tokenId}/relations': { query: { asOf?: string }; body: undefined; answer: RelationsView };
  'GET /api/v1/organisations': { query: { page?: number; limit?: number; search?: string }; body: undefined; answer: OrganisationPageView };
  'GET /api/v1/organisations/{id}': { query: Record<string, never>; body: undefined; answer: OrganisationView };
  'GET /api/v1/passport-settings': { query: Record<string, never>; body: undefined; answer: PassportSettingsView };
  'GET /api/v1/passports': { query: { page?: number; limit?: number }; body: undefined; answer: PassportPageView };
  'GET /api/v1/passports/{passportId}': { query: Record<string, never>; body: undefined; answer: PassportView };
  'GET /api/v1/process-maps': { query: { page?: number; limit?: number }; body: undefined; answer: ProcessMapPageView };
  'GET /api/v1/process-maps/{name}': { query: { version?: string }; body: undefined; answer: ProcessMapDocumentView };
  'GET /api/v1/recall/drills': { query: { page?: number; limit?: number }; body: undefined; answer: DrillPageView };
  'GET /api/v1/recall/drills/{id}': { query: { format?: 'json' | 'csv' }; body: undefined; answer: DrillView };
  'GET /api/v1/recalls': {
    query: { page?: number; limit?: number; open?: boolean; cursor?: string };
    body: undefined;
    answer: RecallPageView;
  };
  'GET /api/v1/recalls/{id}': { query: Record<string, never>; body: undefined; answer: RecallView };
  'GET /api/v1/reports/alerts': {
    query: {
      from?: string;
      to?: string;
      orgId?: string;
      limit?: number;
      cursor?: string;
      format?: 'json' | 'csv';
      severity?: string;
      type?: string;
      muted?: string;
    };
    body: undefined;
    answer: AlertsReportView;
  };
  'GET /api/v1/reports/alerts/limits': { query: Record<string, never>; body: undefined; answer: AlertLimitsView };
  'GET /api/v1/reports/data-reference': {
    query: {
      from?: string;
      to?: string;
      orgId?: string;
      limit?: number;
      cursor?: string;
      format?: 'json' | 'csv';
      kind?: string;
      status?: string;
      refresh?: string;
    };
    body: undefined;
    answer: DataReferenceReportView;
  };
  'GET /api/v1/reports/documents': {
    query: { from?: string; to?: string; orgId?: string; limit?: number; cursor?: string; format?: 'json' | 'csv' };
    body: undefined;
    answer: DocumentsReportView;
  };
  'GET /api/v1/reports/fsma204': {
    query: { from?: string; to?: string; orgId?: string; limit?: number; cursor?: string; format?: 'json' | 'csv'; tlc?: string };
    body: undefined;
    answer: Fsma204ReportView;
  };
  'GET /api/v1/reports/inventory': {
    query: { from?: string; to?: string; orgId?: string; limit?: number; cursor?: string; format?: 'json' | 'csv' };
    body: undefined;
    answer: InventoryReportView;
  };
  'GET /api/v1/reports/suppliers': {
    query: { from?: string; to?: string; orgId?: string; limit?: number; cursor?: string; format?: 'json' | 'csv' };
    body: undefined;
    answer: SuppliersReportView;
  };
  'GET /api/v1/reports/suppliers/{orgId}': {
    query: { from?: string; to?: string; orgId?: string; limit?: number; cursor?: string; format?: 'json' | 'csv' };
    body: undefined;
    answer: SuppliersReportView;
  };
  'GET /api/v1/reports/yield': {
    query: { from?: string; to?: string; orgId?: string; limit?: number; cursor?: string; format?: 'json' | 'csv' };
    body: undefined;
    answer: YieldReportView;
  };
  'GET /api/v1/rules': { query: Record<string, never>; body: undefined; answer: RulesView };
  'GET /api/v1/tx': {
    query: {
      page?: number;
      limit?: number;
      status?: 'submitted' | 'pending' | 'confirming' | 'confirmed' | 'failed' | 'replaced' | 'dropped';
      type?: string;
      from?: string;
      to?: string;
      cursor?: string;
    };
    body: undefined;
    answer: TrackedPageView;
  };
  'GET /api/v1/tx/status/{txHash}': { query: Record<string, never>; body: undefined; answer: TrackedView };
  'GET /api/v1/tx/{trackingId}': { query: Record<string, never>; body: undefined; answer: TrackedView };
  'GET /api/v1/usage': { query: Record<string, never>; body: undefined; answer: UsageView };
  'GET /api/v1/webhooks': { query: Record<string, never>; body: undefined; answer: readonly WebhookView[] };
  'GET /api/v1/webhooks/topics': { query: Record<string, never>; body: undefined; answer: readonly TopicView[] };
  'GET /api/v1/webhooks/{id}': { query: Record<string, never>; body: undefined; answer: WebhookView };
  'GET /api/v1/webhooks/{id}/deliveries': {
    query: { event?: string; status?: 'pending' | 'sending' | 'retrying' | 'delivered' | 'failed' | 'discarded'; cursor?: string };
    body: undefined;
    answer: readonly DeliveryView[];
  };
  'GET /api/v2/auth/me': { query: Record<string, never>; body: undefined; answer: IdentityView };
  'GET /api/v2/auth/memberships': { query: Record<string, never>; body: undefined; answer: readonly MembershipView[] };
  'GET /api/v2/auth/siwe/nonce': { query: Record<string, never>; body: undefined; answer: string };
  'GET /api/v2/members': {
    query: { page?: number; limit?: number; search?: string; status?: 'active' | 'removed' | 'all' };
    body: undefined;
    answer: MemberPageView;
  };
  'GET /api/v2/members/{id}': { query: Record<string, never>; body: undefined; answer: MemberView };
  'GET /api/v2/tenants': { query: { page?: number; limit?: number }; body: undefined; answer: TenantPageView };
  'GET /api/v2/tenants/{id}': { query: Record<string, never>; body: undefined; answer: TenantView };
  'GET /health/live': {
    query: Record<string, never>;
    body: undefined;
    answer: {
      readonly status: 'alive';
    };
  };
  'GET /health/ready': {
    query: Record<string, never>;
    body: undefined;
    answer: {
      readonly status: 'ready' | 'degraded';
      readonly checks: Readonly<Record<string, unknown>>;
    };
  };
  'GET /p/{passportId}': {
    query: { linkType?: unknown };
    body: undefined;
    answer: {
      readonly passportId: string | null;
      readonly passportStatus: 'draft' | 'active' | 'recalled' | 'expired' | 'retired';
      readonly version: number;
      readonly issuedAt: string | null;
      readonly lastUpdated: string | null;
      readonly recalls: readonly {
        readonly recallClass: string | null;
        readonly reason: string | null;
        readonly instructions: string | null;
        readonly date: string;
      }[];
      readonly product: {
        readonly granularity: 'batch';
        readonly name: string;
        readonly description: string | null;
        readonly category: string | null;
        readonly hsCode: string | null;
        readonly gtin: string | null;
        readonly lot: string;
        readonly producedOn: string | null;
        readonly bestBefore: string | null;
        readonly expired: boolean;
        readonly retired: {
          readonly reason: string;
          readonly month: string;
        };
        readonly attributes: Readonly<Record<string, unknown>>;
      };
      readonly operator: {
        readonly name: string;
        readonly lei: string | null;
        readonly gln: string | null;
        readonly contact: Readonly<Record<string, unknown>>;
      };
      readonly origin: {
        readonly steps: readonly {
          readonly process: string;
          readonly country: string | null;
          readonly region: string | null;
          readonly month: string | null;
          readonly verifiedRatio: number | null;
          readonly attributes: Readonly<Record<string, unknown>>;
        }[];
        readonly complete: boolean;
      };
      readonly footprint: Readonly<Record<string, unknown>> | null;
      readonly certificates: readonly Readonly<Record<string, unknown>>[];
      readonly traceability: {
        readonly verifiedRatio: number | null;
        readonly chainOfCustody: string | null;
        readonly claimShare: number | null;
      };
      readonly integrity: Readonly<Record<string, unknown>> | null;
      readonly links: {
        readonly self: string;
        readonly digitalLink: string | null;
        readonly label: string | null;
        readonly bundle: string | null;
      };
    };
  };
  'GET /p/{passportId}/bundle': { query: { key?: unknown; until?: unknown }; body: undefined; answer: Readonly<Record<string, unknown>> };
  'GET /p/{passportId}/label.pdf': { query: Record<string, never>; body: undefined; answer: string };
  'GET /p/{passportId}/label.svg': { query: Record<string, never>; body: undefined; answer: string };
  'GET /verify': { query: Record<string, never>; body: undefined; answer: string };
  'PATCH /api/v1/organisations/{id}': { query: Record<string, never>; body: OrganisationChange; answer: OrganisationView };
  'PATCH /api/v1/passport-settings': { query: Record<string, never>; body: PassportSettingsBody; answer: PassportSettingsView };
  'PATCH /api/v1/reports/alerts/limits': { query: Record<string, never>; body: AlertLimitsBody; answer: AlertLimitsView };
  'PATCH /api/v1/rules': { query: Record<string, never>; body: RulesBody; answer: RulesView };
  'PATCH /api/v1/webhooks/{id}': { query: Record<string, never>; body: ChangeWebhookBody; answer: WebhookView };
  'PATCH /api/v2/members/{id}': { query: Record<string, never>; body: MemberChange; answer: MemberView };
  'POST /api/v1/api-keys': { query: Record<string, never>; body: ApiKeyBody; answer: ApiKeySecretView };
  'POST /api/v1/api-keys/{id}/rotate': { query: Record<string, never>; body: RotateBody; answer: ApiKeySecretView };
  'POST /api/v1/custody/prepare': { query: Record<string, never>; body: CustodyPrepareBody; answer: PreparedCustodyView };
  'POST /api/v1/epcis/capture': { query: { from?: string }; body: Readonly<Record<string, unknown>>; answer: CaptureView };
  'POST /api/v1/events/prepare': { query: Record<string, never>; body: EventBody; answer: PreparedEventView };
  'POST /api/v1/events/prepare/batch': { query: Record<string, never>; body: EventBatchBody; answer: EventBatchView };
  'POST /api/v1/events/validate': { query: Record<string, never>; body: EventBody; answer: VerdictView };
  'POST /api/v1/events/{id}/supersede/prepare': { query: Record<string, never>; body: SupersedeBody; answer: PreparedEventView };
  'POST /api/v1/events/{id}/void/prepare': { query: Record<string, never>; body: VoidBody; answer: PreparedVoidView };
  'POST /api/v1/nfts/{tokenId}/hold': { query: Record<string, never>; body: HoldBody; answer: HeldView };
  'POST /api/v1/nfts/{tokenId}/passport': { query: Record<string, never>; body: undefined; answer: PassportView };
  'POST /api/v1/nfts/{tokenId}/recall/lift/prepare': { query: Record<string, never>; body: LiftPrepareBody; answer: PreparedLiftView };
  'POST /api/v1/nfts/{tokenId}/recall/prepare': { query: Record<string, never>; body: RecallPrepareBody; answer: PreparedRecallView };
  'POST /api/v1/nfts/{tokenId}/release': { query: Record<string, never>; body: undefined; answer: HeldView };
  'POST /api/v1/nfts/{tokenId}/retire/prepare': { query: Record<string, never>; body: RetirementBody; answer: PreparedRetirementView };
  'POST /api/v1/organisations': { query: Record<string, never>; body: OrganisationBody; answer: OrganisationView };
  'POST /api/v1/organisations/{id}/sites': { query: Record<string, never>; body: SiteBody; answer: OrganisationView };
  'POST /api/v1/organisations/{id}/wallets': { query: Record<string, never>; body: OrgWalletBody; answer: OrganisationView };
  'POST /api/v1/passports/{passportId}/bundle-link': { query: Record<string, never>; body: LinkBody; answer: BundleLinkView };
  'POST /api/v1/passports/{passportId}/reinstate': { query: Record<string, never>; body: undefined; answer: PassportView };
  'POST /api/v1/passports/{passportId}/withdraw': { query: Record<string, never>; body: WithdrawBody; answer: PassportView };
  'POST /api/v1/process-maps': { query: Record<string, never>; body: Readonly<Record<string, unknown>>; answer: ProcessMapView };
  'POST /api/v1/process-maps/validate': {
    query: Record<string, never>;
    body: Readonly<Record<string, unknown>>;
    answer: ProcessMapVerdictView;
  };
  'POST /api/v1/recall/drills': { query: Record<string, never>; body: DrillBody; answer: DrillView };
  'POST /api/v1/recalls/{id}/release': { query: Record<string, never>; body: undefined; answer: ReleasedView };
  'POST /api/v1/reports/alerts/{alertId}/ack': { query: Record<string, never>; body: AcknowledgeBody; answer: AlertView };
  'POST /api/v1/tx/prepare': { query: Record<string, never>; body: TxPrepareBody; answer: PreparedGenericView };
  'POST /api/v1/tx/track': { query: Record<string, never>; body: TrackBody; answer: TrackingView };
  'POST /api/v1/webhooks': { query: Record<string, never>; body: RegisterWebhookBody; answer: WebhookWithSecretView };
  'POST /api/v1/webhooks/{id}/deliveries/{deliveryId}/resend': { query: Record<string, never>; body: undefined; answer: TestSentView };
  'POST /api/v1/webhooks/{id}/recover': { query: Record<string, never>; body: RecoverBody; answer: RecoveringView };
  'POST /api/v1/webhooks/{id}/resume': { query: Record<string, never>; body: undefined; answer: WebhookView };
  'POST /api/v1/webhooks/{id}/rotate-secret': { query: Record<string, never>; body: RotateSecretBody; answer: WebhookWithSecretView };
  'POST /api/v1/webhooks/{id}/test': { query: Record<string, never>; body: undefined; answer: TestSentView };
  'POST /api/v2/auth/invitations/accept': { query: Record<string, never>; body: InvitationBody; answer: undefined };
  'POST /api/v2/auth/login': { query: Record<string, never>; body: LoginRequest; answer: LoginResultView };
  'POST /api/v2/auth/logout': { query: Record<string, never>; body: undefined; answer: undefined };
  'POST /api/v2/auth/password': { query: Record<string, never>; body: PasswordChange; answer: undefined };
  'POST /api/v2/auth/password/forgot': { query: Record<string, never>; body: ForgottenPassword; answer: undefined };
  'POST /api/v2/auth/password/reset': { query: Record<string, never>; body: PasswordReset; answer: undefined };
  'POST /api/v2/auth/refresh': { query: Record<string, never>; body: RefreshRequest; answer: LoginResultView };
  'POST /api/v2/auth/select-tenant': { query: Record<string, never>; body: TenantChoice; answer: LoginResultView };
  'POST /api/v2/auth/siwe': { query: Record<string, never>; body: SiweRequest; answer: LoginResultView };
  'POST /api/v2/auth/switch-tenant': { query: Record<string, never>; body: TenantChoice; answer: LoginResultView };
  'POST /api/v2/members': { query: Record<string, never>; body: MemberBody; answer: InvitedView };
  'POST /api/v2/members/{id}/grants/prepare': { query: Record<string, never>; body: SenderBody; answer: GrantsView };
  'POST /api/v2/members/{id}/wallet/replace/prepare': { query: Record<string, never>; body: ReplacementBody; answer: ReplacementView };
  'POST /api/v2/tenants': { query: Record<string, never>; body: TenantBody; answer: OpenedTenantView };
  'POST /api/v2/tenants/{id}/contract/prepare': { query: Record<string, never>; body: ContractBody; answer: ContractPreparedView };
  'POST /api/v2/tenants/{id}/resume': { query: Record<string, never>; body: undefined; answer: TenantView };
  'POST /api/v2/tenants/{id}/suspend': { query: Record<string, never>; body: SuspendBody; answer: TenantView };
  'POST /api/v2/tenants/{id}/tier': { query: Record<string, never>; body: TierBody; answer: TenantView };
}
