// The program of a thread of `drawRecallReport`: one report, then it ends.
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { RecallReport } from './recall-report.page.js';

// On Linux a priority belongs to a thread: the one that answers requests goes first, also while this one loads its programs.
if (process.platform === 'linux') setPriority(10);
const { recallReportPdf } = await import('./recall-report.page.js');
const bytes = await recallReportPdf(workerData as RecallReport);
parentPort!.postMessage(bytes);
