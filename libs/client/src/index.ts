export { ApiProblem } from './api-problem.js';
export * from './traceability-client.js';
export * from './eip1193-wallet.js';
export * from './follow-changes.js';
export * from './list-all.js';
export * from './confirm-transaction.js';
export * from './passkey-relay.js';
export * from './passkey-signer.js';
export * from './passkeys.js';
export * from './sender.js';
export * from './session.js';
export type { OperationName, Operations } from './types.js';
export * from './types.js';
export * from './webhook-signature.js';
export type {
  AlertLimitsView,
  AlertView,
  AlertsReportView,
  ApiKeyPageView,
  ApiKeySecretView,
  ApiKeyView,
  AuditPageView,
  AuditView,
  ChangesView,
  ConsumerView,
  CustodyHistoryView,
  DataReferenceReportView,
  DeliveryView,
  DocumentsReportView,
  DrillPageView,
  DrillView,
  EventPageView,
  EventView,
  FootprintView,
  Fsma204ReportView,
  GrantsView,
  GraphEdgeView,
  GraphNodeView,
  GraphView,
  IdentityView,
  ImportProblemsView,
  ImportView,
  ImportedEventView,
  InventoryReportView,
  IssueView,
  SavedMappingView,
  LotPageView,
  LotView,
  MemberPageView,
  MemberView,
  OrganisationPageView,
  OrganisationView,
  MemberCallView,
  PreparedCustodyView,
  PreparedEventView,
  PreparedRecallView,
  ProcessMapDocumentView,
  ProcessMapPageView,
  ProcessMapVerdictView,
  ProcessMapView,
  ProcessYieldView,
  RecallImpactView,
  RecallPageView,
  RecallView,
  ReplacementView,
  StockPlaceView,
  StoredDocumentPageView,
  StoredDocumentView,
  SupplierView,
  SponsorshipReportView,
  SuppliersReportView,
  TopicView,
  TrackedPageView,
  TrackedView,
  TransferPageView,
  TransferView,
  UsageView,
  SponsorshipView,
  UsedView,
  VerdictView,
  WebhookView,
  WebhookWithSecretView,
  YieldReportView,
} from './generated/api.js';
