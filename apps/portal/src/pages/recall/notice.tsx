import type { AcknowledgementsView, RecallView } from '#client';
import { Action } from '../../parts/action';
import { Section } from '../../parts/basics';
import { mailsOf, useContacts } from '../../parts/contacts';
import { showTime } from '../../state/format';
import { href } from '../../state/router';
import { save } from '../../state/save';
import { classOf } from '../../state/recall-words';
import { api, me } from '../../state/session';
import { plural, t } from '../../state/language';

/** The recall in words, as it goes to holders by paper or e-mail. */
export function Notice({ recall, answers }: { readonly recall: RecallView; readonly answers: AcknowledgementsView }) {
  const contacts = useContacts();
  const { tid, memberships } = me.value!;
  const tenant = memberships.find(({ slug }) => slug === tid)?.name ?? tid!;
  const lines = wordsOf(recall, answers, tenant);
  const mails = mailsOf(
    contacts,
    answers.holders.map(({ address }) => address),
  );
  const mail = `mailto:?bcc=${encodeURIComponent(mails.join(','))}&subject=${encodeURIComponent(lines[0]!)}&body=${encodeURIComponent(lines.join('\n\n'))}`;
  return (
    <Section title={t('Notice to holders')}>
      <div class="paper">
        <h3>{lines[0]}</h3>
        {lines.slice(1).map((line) => (
          <p key={line} class="instructions">
            {line}
          </p>
        ))}
      </div>
      <div class="actions no-print">
        <button type="button" onClick={() => print()}>
          {t('Print the notice')}
        </button>
        <a href={mail}>
          {mails.length > 0 ? t('Write it as an e-mail to holders ({count})', { count: mails.length }) : t('Write it as an e-mail')}
        </a>
        <AuditReport id={recall.id} />
      </div>
    </Section>
  );
}

export const AuditReport = ({ id }: { readonly id: string }) => (
  <Action
    label={t('Report for the auditor (PDF)')}
    run={async () => save(await api().download(`/api/v1/recalls/${id}/report.pdf`), `recall-${id}.pdf`)}
  />
);

const LISTED = 50;

function wordsOf(recall: RecallView, { data, lots }: AcknowledgementsView, tenant: string): readonly string[] {
  const { reason, recallClass, reference, instructions, recalledAt, id } = recall;
  const grade = classOf(recallClass);
  const codes = data.slice(0, LISTED).map(({ tlc }) => tlc);
  return [
    [t('Recall'), grade, reference, reason ?? t('The reason is not known yet.')].filter((word) => word !== null).join(', '),
    t('{tenant} recalled these goods on {time}.', { tenant, time: showTime(recalledAt) }),
    `${t('Lots')}: ${codes.join(', ') || '–'}${lots > codes.length ? `, ${plural(lots - codes.length, 'and {count} more', 'and {count} more')}` : ''}`,
    instructions ?? t('Do not use, sell or move these goods. Put them in quarantine and wait for instructions.'),
    `${t('Say what you did with them')}: ${location.origin}${href(`/recalls/${id}`)}`,
  ];
}
