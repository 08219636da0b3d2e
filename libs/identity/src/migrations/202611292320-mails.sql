-- Mails of the last day that anybody could cause, so that nobody fills the mailbox of somebody else. The address itself is not kept.
create table identity.mail_sent (
  id bigint generated always as identity primary key,
  mailbox_hash bytea not null,
  sent_at timestamptz not null
);
create index mail_sent_by_mailbox on identity.mail_sent (mailbox_hash);
create index mail_sent_by_age on identity.mail_sent (sent_at);
grant select, insert, delete on identity.mail_sent to trace_system;
