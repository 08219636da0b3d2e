import { Counter, type Registry } from 'prom-client';

/** Told what the retention has deleted. */
export interface RetentionListener {
  /** @param what a table with its schema, or `content` */
  deleted(what: string, rows: number): void;
}

export function deletionCounter(registry: Registry): RetentionListener {
  const rows = new Counter({
    name: 'traceability_rows_deleted_total',
    help: 'Rows that this process has deleted because their time of retention was over; `content`: contents.',
    labelNames: ['table'],
    registers: [registry],
  });
  return { deleted: (table, count) => rows.inc({ table }, count) };
}
