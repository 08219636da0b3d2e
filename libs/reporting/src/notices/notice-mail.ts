import { NOTICE_TOPICS, type NoticeTopic, counted } from './notice.js';

/** What people call the topics. */
export const TOPIC_NAMES: Readonly<Record<NoticeTopic, string>> = {
  recall: 'Recalls of goods that you hold',
  transfer: 'Transfers that wait for you',
  document: 'Documents that run out',
  alert: 'Alerts',
  webhook: 'Paused webhooks',
  import: 'Finished imports',
};

export interface MailedLine {
  readonly topic: NoticeTopic;
  readonly title: string;
  readonly link: string | null;
}

interface MailAddresses {
  readonly portal: (path: string) => string;
  readonly off: (topic: NoticeTopic | 'all') => string;
}

/** The text of a mail with notices: the same each time that it is made of the same notices. */
export function noticeMailText(
  tenant: string,
  notices: readonly MailedLine[],
  { portal, off }: MailAddresses,
): { readonly subject: string; readonly text: string; readonly unsubscribeUrl: string } {
  const topics = NOTICE_TOPICS.filter((topic) => notices.some((one) => one.topic === topic));
  const parts = topics.map((topic) => {
    const lines = notices
      .filter((one) => one.topic === topic)
      .map(({ title, link }) => `- ${title}${link === null ? '' : `\n  ${portal(link)}`}`);
    return `${TOPIC_NAMES[topic]}\n${lines.join('\n')}`;
  });
  const ends = topics.map((topic) => `${TOPIC_NAMES[topic]}: ${off(topic)}`);
  return {
    subject: notices.length === 1 ? `${tenant}: ${notices[0]!.title}`.slice(0, 150) : `${tenant}: ${counted(notices.length, 'notice')}`,
    text: `${parts.join('\n\n')}\n\n--\nNo more mails about\n${ends.join('\n')}\nAll topics: ${off('all')}\n`,
    unsubscribeUrl: off(topics.length === 1 ? topics[0]! : 'all'),
  };
}

const HOUR_MS = 3_600_000;
/** A mail that no server has taken after this time is given up (RFC 5321 §4.5.4.1). */
const GIVEN_UP_AFTER_MS = 5 * 24 * HOUR_MS;

/** When to try again: greylisting servers take the same mail some minutes later. Null: not any more. */
export function nextAttempt(
  { attempts, createdAt }: { readonly attempts: number; readonly createdAt: Date },
  now: Date,
  everyMs: number,
): Date | null {
  if (now.getTime() - createdAt.getTime() > GIVEN_UP_AFTER_MS) return null;
  return new Date(now.getTime() + Math.min(HOUR_MS, 2 * everyMs * 2 ** Math.min(attempts, 20)));
}
