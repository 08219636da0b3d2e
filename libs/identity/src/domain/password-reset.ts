import { createHash } from 'node:crypto';

/** Long enough for a mail to arrive, short enough for a mailbox that is read later by somebody else. */
export const RESET_MS = 60 * 60_000;
/** Unused links of one user at a time: whoever knows an address cannot fill its mailbox. */
export const MOST_RESET_LINKS = 3;

/** What is kept of a one-time token: it has 256 random bits, so a plain digest tells nothing. */
export const resetTokenHash = (token: string): Buffer => createHash('sha256').update(token).digest();

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** @param link with `{token}` where the token goes; null where there is no page for it */
export function resetMail(to: string, token: string, link: string | null): Mail {
  const how = link
    ? `Open this link to set a new one:\n\n${link.replace('{token}', token)}`
    : `Send this token with a new password to /api/v2/auth/password/reset:\n\n${token}`;
  return {
    to,
    subject: 'A new password',
    text: `Somebody, hopefully you, asked for a new password.\n${how}\n\nIt is good for one hour and for one use. Without it nothing changes.\n`,
  };
}

export const passwordChangedMail = (to: string): Mail => ({
  to,
  subject: 'Your password was changed',
  text: 'Your password was changed and other sessions were ended. If that was not you, ask for a new password and tell your administrator.\n',
});
