import { createHash } from 'node:crypto';
import { type AlertType, SEVERITIES, type Severity } from './alert.js';
import { wordsOf } from './catalogue.js';

/** Alerts that say the same of the same kind of thing. */
export interface AlertGroup {
  readonly type: AlertType;
  /** The worst among them. */
  readonly severity: Severity;
  readonly group: string;
  readonly count: number;
  readonly acknowledged: number;
  readonly earliest: Date;
  /** A few of them, the worst first. */
  readonly alertIds: readonly string[];
}

export interface Insight {
  readonly id: string;
  readonly severity: Severity;
  readonly headline: string;
  readonly narrative: string;
  readonly relatedAlertIds: readonly string[];
}

const MOST = 20;

interface Sum {
  readonly type: AlertType;
  readonly group: string;
  readonly severity: Severity;
  readonly count: number;
  readonly acknowledged: number;
  readonly earliest: Date;
}

/** The groups that insights are made of: severities of the same words are one, and of those the worst twenty. */
export function worstGroups(sums: readonly Sum[]): readonly Sum[] {
  const groups = new Map<string, Sum>();
  for (const sum of sums) {
    const key = `${sum.type}|${sum.group}`;
    const other = groups.get(key);
    groups.set(key, other ? joined(other, sum) : sum);
  }
  return [...groups.values()].toSorted(worstFirst).slice(0, MOST);
}

const joined = (a: Sum, b: Sum): Sum => ({
  ...a,
  severity: rank(a.severity) < rank(b.severity) ? a.severity : b.severity,
  count: a.count + b.count,
  acknowledged: a.acknowledged + b.acknowledged,
  earliest: a.earliest < b.earliest ? a.earliest : b.earliest,
});

/** The worst groups first, each in a sentence, then what to do about it. The same groups give the same words. */
export const insightsOf = (groups: readonly AlertGroup[]): readonly Insight[] => groups.toSorted(worstFirst).slice(0, MOST).map(insightOf);

function insightOf(group: AlertGroup): Insight {
  const words = wordsOf(group.type);
  const open = group.count - group.acknowledged;
  const seen = group.count === 1 ? 'It has been known since' : 'The first has been known since';
  return {
    id: createHash('sha256').update(`${group.type}|${group.group}`).digest('hex').slice(0, 16),
    severity: group.severity,
    headline: words.headline(group.count, group.group),
    narrative: [
      `${seen} ${group.earliest.toISOString().slice(0, 10)}${open === 0 ? ', and all are acknowledged' : group.acknowledged > 0 ? `, and ${open} of ${group.count} are not acknowledged` : ''}.`,
      words.recommendation,
      ...(words.reference === null ? [] : [`Asked for by ${words.reference}.`]),
    ].join(' '),
    relatedAlertIds: group.alertIds,
  };
}

const rank = (severity: Severity): number => SEVERITIES.indexOf(severity);
const worstFirst = (a: Sum, b: Sum): number =>
  rank(a.severity) - rank(b.severity) || b.count - a.count || (a.type < b.type ? -1 : a.type > b.type ? 1 : a.group < b.group ? -1 : 1);
