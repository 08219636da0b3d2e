import type { ReportClass } from '../../ports.js';
import { YieldReport } from './yield.js';

/** Every report. One more is one more file, and a line here. */
export const REPORTS: readonly ReportClass[] = [YieldReport];
