import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Metrics } from '../../apps/runtime/src/index.js';

const read = (path: string): string => readFileSync(path, 'utf8');
const ALERTS = read('ops/prometheus/alerts.yaml');
const DASHBOARD = read('ops/grafana/traceability.json');
const RUNBOOK = read('docs/how-to/runbook.md');
const list = new Metrics({ role: 'all' }).list;

/** Whatever looks like a name of ours or of prom-client's defaults. */
const namesIn = (text: string): readonly string[] => [...new Set(text.match(/\b(traceability|process|nodejs)_[a-z0-9_]+/g))];
const series = new Set(
  list.flatMap(({ name, type }) => (type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']).map((end) => `${name}${end}`)),
);
const unknownIn = (text: string): readonly string[] => namesIn(text).filter((name) => !series.has(name));
const groups = (pattern: RegExp, text: string): readonly string[] => [...text.matchAll(pattern)].map(([, found]) => found!);

describe('the documentation of the metrics', () => {
  it('lists every metric of the service, with type and labels', () => {
    const row = /^\| `(traceability_\w+)` \| (\w+) \| ([\w, ]*) ?\|/gm;
    const documented = [...read('docs/how-to/watch-the-service.md').matchAll(row)].map(
      ([, name, type, labels]) => `${name} ${type} ${labels!.trim()}`,
    );
    const own = list.filter(({ name }) => name.startsWith('traceability_'));
    expect(new Set(documented)).toEqual(new Set(own.map(({ name, type, labelNames }) => `${name} ${type} ${labelNames.join(', ')}`)));
    expect(documented).toHaveLength(own.length);
  });

  it('names no metric that is not there, in alerts, dashboard and runbook', () => {
    for (const text of [ALERTS, DASHBOARD]) {
      expect(namesIn(text).length).toBeGreaterThan(10);
      expect(unknownIn(text)).toEqual([]);
    }
    const withoutSuffix = new Set([...series, ...list.map(({ name }) => name)]);
    expect(namesIn(RUNBOOK).filter((name) => !withoutSuffix.has(name))).toEqual([]);
  });

  it('would be found out by a name that is not there', () => {
    expect(unknownIn('max(traceability_chain_lag_block) > 20')).toEqual(['traceability_chain_lag_block']);
  });

  it('has a section of the runbook for each alert, which its link leads to, and none for another', () => {
    const alerts = groups(/- alert: (\w+)/g, ALERTS);
    expect(alerts.length).toBeGreaterThan(10);
    expect(groups(/^## (\w+)$/gm, RUNBOOK)).toEqual(alerts);
    expect(groups(/runbook: docs\/how-to\/runbook\.md#(\w+)/g, ALERTS)).toEqual(alerts.map((name) => name.toLowerCase()));
    for (const section of RUNBOOK.split(/^## /m).slice(1)) {
      const [name] = section.split('\n', 1);
      expect([name, groups(/^\*\*([A-Z][a-z ]+)\.\*\*/gm, section)]).toEqual([name, ['Meaning', 'First look', 'What to do']]);
    }
  });

  it('is said as urgently in the runbook as in the alert', () => {
    const severities = groups(/severity: (\w+)/g, ALERTS);
    expect(groups(/^\*\*Meaning\.\*\* (Page|Ticket)\./gm, RUNBOOK).map((word) => word.toLowerCase())).toEqual(severities);
  });
});
