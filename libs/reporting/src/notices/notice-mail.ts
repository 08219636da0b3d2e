import type { Language } from '#kernel';
import { NOTICE_TOPICS, type NoticeTopic } from './notice.js';
import { FRAME, TOPIC_NAMES } from './notice-texts.js';
import { titleIn } from './notice-title.js';

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
  language: Language,
): { readonly subject: string; readonly text: string; readonly unsubscribeUrl: string } {
  const [names, frame] = [TOPIC_NAMES[language], FRAME[language]];
  const topics = NOTICE_TOPICS.filter((topic) => notices.some((one) => one.topic === topic));
  const parts = topics.map((topic) => {
    const lines = notices
      .filter((one) => one.topic === topic)
      .map(({ title, link }) => `- ${titleIn(title, language)}${link === null ? '' : `\n  ${portal(link)}`}`);
    return `${names[topic]}\n${lines.join('\n')}`;
  });
  const ends = topics.map((topic) => `${names[topic]}: ${off(topic)}`);
  const about = notices.length === 1 ? titleIn(notices[0]!.title, language) : frame.several.replace('{count}', String(notices.length));
  return {
    subject: `${tenant}: ${about}`.slice(0, 150),
    text: `${parts.join('\n\n')}\n\n--\n${frame.noMore}\n${ends.join('\n')}\n${frame.all}: ${off('all')}\n`,
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
