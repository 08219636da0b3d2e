import type { NoticeChoiceView, NoticeView } from '#client';
import { Action } from '../parts/action';
import { Empty, Link, Section, Show, Table } from '../parts/basics';
import { More } from '../parts/more';
import { Problem } from '../parts/problem';
import { showTime } from '../state/format';
import { useList } from '../state/list';
import { useLoad } from '../state/load';
import { countUnread } from '../state/notices';
import { useRun } from '../state/run';
import { api } from '../state/session';
import { phrase, t, translated } from '../state/language';

const ROWS = 50;
const TOPICS: Readonly<Record<string, string>> = {
  recall: phrase('Recalls of goods that you hold'),
  transfer: phrase('Transfers that wait for you'),
  document: phrase('Documents that run out'),
  alert: phrase('Alerts'),
  webhook: phrase('Paused webhooks'),
  import: phrase('Finished imports'),
};
const nameOf = (topic: string): string => translated(TOPICS[topic] ?? topic);

export default function NoticesPage() {
  return (
    <>
      <h1>{t('Notices')}</h1>
      <Notices />
      <Choices />
    </>
  );
}

function Notices() {
  const notices = useList<NoticeView>(`/api/v1/notices?limit=${ROWS}`);
  const read = async (ids?: readonly string[]): Promise<void> => {
    await api().notices.read(ids);
    notices.again();
    await countUnread();
  };
  return (
    <Section title={t('Newest first')} aside={<Action label={t('Mark all as read')} run={() => read()} />}>
      <Show what={notices}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>{t('No notices. What concerns you appears here.')}</Empty>
          ) : (
            <>
              <Table
                caption={t('Notices, newest first')}
                rows={data}
                keyOf={({ id }) => id}
                columns={[
                  {
                    name: t('Notice'),
                    show: ({ title, link, readAt }) => {
                      const text = readAt === null ? <strong>{title}</strong> : title;
                      return link === null ? text : <Link to={link}>{text}</Link>;
                    },
                  },
                  { name: t('Topic'), show: ({ topic }) => nameOf(topic) },
                  { name: t('When'), show: ({ createdAt }) => showTime(createdAt) },
                  {
                    name: t('Read'),
                    show: ({ id, readAt }) =>
                      readAt === null ? <Action label={t('Mark as read')} run={() => read([id])} /> : showTime(readAt),
                  },
                ]}
              />
              <More of={notices} />
            </>
          )
        }
      </Show>
    </Section>
  );
}

/** Where the person wants them, by topic. */
function Choices() {
  const choices = useLoad('notice-choices', () => api().notices.choices());
  const { error, busy, run } = useRun();
  const change = ({ topic, ...choice }: NoticeChoiceView): void =>
    void run(async () => {
      await api().notices.choose(topic, choice);
      choices.again();
    });
  const box = (choice: NoticeChoiceView, where: 'inPortal' | 'byMail', label: string) => (
    <input
      type="checkbox"
      aria-label={`${nameOf(choice.topic)}: ${label}`}
      checked={choice[where]}
      disabled={busy}
      onChange={({ currentTarget }) => change({ ...choice, [where]: currentTarget.checked })}
    />
  );
  return (
    <Section title={t('Where you want them')}>
      <Problem of={error} />
      <Show what={choices}>
        {({ data }) => (
          <Table
            caption={t('Where you want notices, by topic')}
            rows={data}
            keyOf={({ topic }) => topic}
            columns={[
              { name: t('Topic'), show: ({ topic }) => nameOf(topic) },
              { name: t('In the portal'), show: (choice) => box(choice, 'inPortal', t('in the portal')) },
              { name: t('By mail'), show: (choice) => box(choice, 'byMail', t('by mail')) },
            ]}
          />
        )}
      </Show>
    </Section>
  );
}
