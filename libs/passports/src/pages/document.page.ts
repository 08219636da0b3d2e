import { Html, STYLE, html, type Language } from '#kernel';
import type { TextKey } from './texts.page.js';
import { type Wording, wordingIn } from './wording.page.js';

interface PageParts {
  readonly title: string;
  readonly content: Html;
  readonly footer: string;
}

/** A page in the language of its words. */
export const pageOf = ({ language }: Wording, { title, content, footer }: PageParts): string =>
  html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="referrer" content="no-referrer"><title>${title}</title><style>${new Html(STYLE)}</style></head>
<body><main>${content}</main><footer>${footer}</footer></body></html>
`.text;

const ABSENCES: Readonly<Record<number, readonly [TextKey, TextKey]>> = {
  400: ['invalidTitle', 'invalidText'],
  403: ['refusedTitle', 'refusedText'],
  410: ['withdrawnTitle', 'withdrawnText'],
};

/** The page where nothing is shown, for a person who scanned a code or followed a link. */
export function absencePage(status: number, language: Language): string {
  const words = wordingIn(language);
  const [title, sentence] = (ABSENCES[status] ?? (['absentTitle', 'absentText'] as const)).map((key) => words.text(key));
  const content = html`<section class="wide note"><h1>${title!}</h1><p>${sentence!}</p></section>`;
  return pageOf(words, { title: title!, content, footer: words.text('passport') });
}
