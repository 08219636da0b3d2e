export * from './api-problem.js';
export * from './eip1193-wallet.js';
export * from './every.js';
export * from './land.js';
export * from './rpc.js';
export * from './sender.js';
export * from './session.js';
export * from './traceability-client.js';
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
  CustodyHistoryView,
  DataReferenceReportView,
  DeliveryView,
  DocumentsReportView,
  EventPageView,
  EventView,
  FootprintView,
  Fsma204ReportView,
  GrantsView,
  GraphEdgeView,
  GraphNodeView,
  GraphView,
  IdentityView,
  InventoryReportView,
  InvitedView,
  LotPageView,
  LotView,
  MemberPageView,
  MemberView,
  Operations,
  OrganisationPageView,
  OrganisationView,
  PreparedCallView,
  PreparedCustodyView,
  PreparedRecallView,
  ProcessMapDocumentView,
  ProcessMapPageView,
  ProcessMapView,
  ProcessYieldView,
  RecallImpactView,
  ReplacementView,
  StockPlaceView,
  SupplierView,
  SuppliersReportView,
  TopicView,
  TrackedPageView,
  TransferPageView,
  TransferView,
  UsageView,
  UsedView,
  WebhookView,
  WebhookWithSecretView,
  YieldReportView,
} from './generated/api.js';
