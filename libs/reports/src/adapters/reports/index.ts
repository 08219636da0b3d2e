import type { ReportClass } from '../../ports.js';
import { AlertsReport } from './alerts.js';
import { DataReferenceReport } from './data-reference.js';
import { DocumentsReport } from './documents.js';
import { FsmaReport } from './fsma204.js';
import { InventoryReport } from './inventory.js';
import { SuppliersReport } from './suppliers.js';
import { YieldReport } from './yield.js';

/** Every report. One more is one more file, and a line here. */
export const REPORTS: readonly ReportClass[] = [
  AlertsReport,
  DataReferenceReport,
  DocumentsReport,
  FsmaReport,
  InventoryReport,
  SuppliersReport,
  YieldReport,
];
