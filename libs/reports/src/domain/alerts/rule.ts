import type { AlertType, Finding } from './alert.js';
import type { Circumstances } from './circumstances.js';

/** One row of the table of domain-decisions §6.1: what is wrong, how bad, what to do about it. */
export interface Rule<Facts> {
  readonly type: AlertType;
  readonly recommendation: string;
  /** The regulation or standard that asks for it; null where it is good practice. */
  readonly reference: string | null;
  /** What an insight says of many of them. @param group as the findings name it, empty where they name none */
  headline(count: number, group: string): string;
  judge(facts: Facts, at: Circumstances): readonly Finding[];
}
