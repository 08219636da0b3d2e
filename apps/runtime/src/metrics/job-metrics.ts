import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { JobListener } from '#queue';

/** From a tick that finds nothing to do to an import. In seconds. */
const BUCKETS = [0.005, 0.025, 0.1, 0.5, 2.5, 10, 60, 300];

/** Counts the runs of jobs in this process. */
export function jobCounters(registry: Registry): JobListener {
  const registers = [registry];
  const runs = new Counter({
    name: 'traceability_job_runs_total',
    help: 'Runs of a job, by how they ended.',
    labelNames: ['topic', 'outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'traceability_job_duration_seconds',
    help: 'Time that a run of a job took.',
    labelNames: ['topic'],
    buckets: BUCKETS,
    registers,
  });
  const success = new Gauge({
    name: 'traceability_job_last_success_timestamp_seconds',
    help: 'When a run of a job last succeeded in this process.',
    labelNames: ['topic'],
    registers,
  });
  return {
    ran: (topic, outcome, durationMs) => {
      runs.inc({ topic, outcome });
      durations.observe({ topic }, durationMs / 1_000);
      if (outcome === 'completed') success.set({ topic }, Date.now() / 1_000);
    },
  };
}
