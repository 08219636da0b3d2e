/** What notices are about. Each person says for each of them whether and where. */
export const NOTICE_TOPICS = ['recall', 'transfer', 'document', 'alert', 'webhook', 'import'] as const;
export type NoticeTopic = (typeof NOTICE_TOPICS)[number];

/** Where a person wants the notices of a topic. */
export interface NoticeChoice {
  readonly topic: NoticeTopic;
  readonly inPortal: boolean;
  readonly byMail: boolean;
}

/** Without a choice of theirs, people get all notices. */
export const DEFAULT_CHOICE = { inPortal: true, byMail: true } as const;

/** An entry of the change feed. */
export interface FeedChange {
  readonly position: number;
  readonly topic: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A matter that concerns some people. */
export interface Matter {
  readonly topic: NoticeTopic;
  /** Who has a notice with it gets no other. */
  readonly key: string;
  readonly title: string;
  /** Path of a page of the portal. */
  readonly link: string | null;
  readonly to: readonly string[];
}

export interface Notice {
  readonly id: string;
  readonly topic: NoticeTopic;
  readonly title: string;
  readonly link: string | null;
  readonly createdAt: Date;
  readonly readAt: Date | null;
}

/** A person who may get notices. */
interface Recipient {
  readonly userId: string;
  readonly orgId: string | null;
  readonly wallet: string | null;
  readonly roles: readonly string[];
  /** Whether some role is only for some processes. */
  readonly isScoped: boolean;
}

const READ_ALL: readonly string[] = ['AUDITOR', 'COMPLIANCE', 'TENANT_ADMIN'];
const TRANSFER: readonly string[] = ['OPERATOR', 'ADMIN', 'TENANT_ADMIN'];

/** Whom a matter concerns. */
export class Audience {
  /** @param orgs of wallets, by EIP-55 address */
  constructor(
    private readonly people: readonly Recipient[],
    private readonly orgs: ReadonlyMap<string, string | null>,
  ) {}

  /** Everybody of the organisation of this address, and whose wallet it is. */
  ofAddress(address: string): readonly string[] {
    const org = this.orgs.get(address) ?? null;
    return idsOf(this.people.filter(({ orgId, wallet }) => wallet === address || (org !== null && orgId === org)));
  }

  /** Those of them who may sign a transfer. */
  whoTransfer(address: string): readonly string[] {
    const concerned = new Set(this.ofAddress(address));
    return idsOf(this.people.filter(({ userId, roles }) => concerned.has(userId) && roles.some((role) => TRANSFER.includes(role))));
  }

  /** Who reads the reports of some organisations, whatever process they are about. */
  whoReport(orgIds: readonly string[]): readonly string[] {
    const reads = ({ roles, orgId }: Recipient): boolean =>
      roles.some((role) => READ_ALL.includes(role)) || (roles.includes('ADMIN') && orgId !== null && orgIds.includes(orgId));
    return idsOf(this.people.filter((one) => !one.isScoped && reads(one)));
  }

  whoAdminister(): readonly string[] {
    return idsOf(this.people.filter(({ roles, isScoped }) => !isScoped && roles.includes('TENANT_ADMIN')));
  }

  person(id: string): readonly string[] {
    return idsOf(this.people.filter(({ userId }) => userId === id));
  }
}

const idsOf = (people: readonly Recipient[]): readonly string[] => people.map(({ userId }) => userId);

export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;
const DAY_MS = 86_400_000;

/** How often holders are reminded of a recall, and when. */
export const REMINDERS = 5;
export const reminderAfter = (asked: Date, reminders: number): Date | null =>
  reminders >= REMINDERS ? null : new Date(asked.getTime() + 2 ** reminders * DAY_MS);

export interface RecallRequest {
  readonly recallId: string;
  readonly isDrill: boolean;
  readonly askedAt: Date;
  readonly reminders: number;
}

/** The notice for a holder of lots of a recall: the first one, and reminders. */
export function recallMatter(
  { recallId, isDrill, reminders }: RecallRequest,
  { lots, acknowledged }: { readonly lots: number; readonly acknowledged: number },
  to: readonly string[],
): Matter {
  const what = isDrill ? 'A recall drill asks about' : 'A recall affects';
  const open = counted(lots - acknowledged, 'lot');
  const title =
    reminders === 0
      ? `${what} ${counted(lots, 'lot')} that you hold. Say what you did with ${lots === 1 ? 'it' : 'them'}.`
      : `Reminder: ${isDrill ? 'a recall drill' : 'a recall'} still asks what you did with ${open}.`;
  return {
    topic: 'recall',
    key: `recall:${recallId}:${reminders}`,
    title,
    link: `/recalls/${recallId}`,
    to,
  };
}
