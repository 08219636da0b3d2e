import { Html, STYLE, html } from '#kernel';
import type { NoticeTopic } from './notice.js';
import { TOPIC_NAMES } from './notice-texts.js';

const nameOf = (topic: NoticeTopic | 'all'): string => (topic === 'all' ? 'All notices' : TOPIC_NAMES.en[topic]);

/** A button that ends the mails: who only fetches the link, like a scanner of mails, ends nothing. */
export const askPage = (topic: NoticeTopic | 'all', token: string): string =>
  pageOf(
    'No more mails?',
    html`<p>${nameOf(topic)}: you get mails about them.</p><form method="post" action="?token=${token}"><button>Send me no more mails about this</button></form>`,
  );

export const endedPage = (topic: NoticeTopic | 'all'): string =>
  pageOf(
    'No more mails',
    html`<p>${nameOf(topic)}: you get no mails about them any more. The portal still shows them, and there you can change this again.</p>`,
  );

export const unknownLinkPage = (): string =>
  pageOf('This link does not work', html`<p>It is cut, or from another service. Sign in to the portal to choose your mails.</p>`);

const pageOf = (title: string, content: Html): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="referrer" content="no-referrer"><title>${title}</title><style>${new Html(STYLE)}</style></head>
<body><main><section class="wide note"><h1>${title}</h1>${content}</section></main></body></html>
`.text;
