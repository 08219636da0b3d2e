import type { Config } from '#config';
import { checkMailServer } from '#identity';
import { failing, fine, type Finding, reasonOf } from './finding.js';

/** Connects and logs in; sends nothing. */
export async function mail({ mail: { transport } }: Config): Promise<Finding> {
  if (transport.kind === 'console') return fine('mail', 'no mail server: one-time links are in the log');
  if (transport.kind === 'none')
    return failing('mail', 'no mail server: invitations and links for passwords are not sent', 'Set SMTP_URL and MAIL_FROM.');
  try {
    await checkMailServer(transport.url);
    return fine('mail', `${new URL(transport.url).host} takes mails`);
  } catch (error) {
    return failing('mail', reasonOf(error), 'Check that the mail server runs, and that SMTP_URL has its address, user and password.');
  }
}
