import { type Html, html, theirs, type Language } from '#kernel';
import type { PublicPassport } from '../composing/passport.js';
import type { DataElement } from '../elements/data-element.js';
import { compressedAll } from '../elements/data-element.rules.js';
import { pageOf } from '../pages/document.page.js';
import { type Wording, wordingIn } from '../pages/wording.page.js';
import { passportPage } from '../public/passport.page.js';
import type { Grant } from './grant.js';

const said = ({ grantee, purpose }: Grant, words: Wording): Html => html`<p>${theirs(words.text('grantFor', grantee, purpose))}</p>`;

/** What a link would open, and a button that opens it: who only fetches the link, like a scanner of mails, does not use it up. */
export function offerPage(grant: Grant, { product }: PublicPassport, token: string, language: Language): string {
  const words = wordingIn(language);
  const title = words.text('grantTitle');
  const once = grant.kind === 'link' ? html`<p>${words.text('grantOnce')}</p>` : null;
  return pageOf(words, {
    title,
    content: html`<section class="wide note"><h1>${title}</h1><p dir="auto"><b>${product.name}</b></p>${said(grant, words)}<p>${words.text('grantUntil', words.date(grant.expiresAt.toISOString()))}</p>${once}<form method="get"><input type="hidden" name="grant" value="${token}"><button name="open" value="yes">${words.text('open')}</button></form></section>`,
    footer: words.text('passport'),
  });
}

/** The page of a passport with what a grant opens on top. */
export function openedPage(grant: Grant, passport: PublicPassport, elements: readonly DataElement[], language: Language): string {
  const words = wordingIn(language);
  const values = compressedAll(elements);
  const rows = elements.length === 0 ? html`<p>${words.text('allPublic')}</p>` : html`<dl>${words.rows(values)}</dl>`;
  const more = html`<section class="wide"><h2>${words.text('grantTitle')}</h2>${said(grant, words)}${rows}</section>`;
  return passportPage(passport, language, { more });
}
