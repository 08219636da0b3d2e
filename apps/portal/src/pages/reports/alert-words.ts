import { showDay, showLength } from '../../state/format.js';
import { type Phrase, phrase, speaking, t } from '../../state/language.js';

/** Titles that the rules write most, with the values in them. */
const TITLES: readonly (readonly [form: RegExp, text: Phrase])[] = [
  [/^(?<event>.+) was recorded (?<time>\d+ (?:day|hour|minute|second)s?) late$/su, phrase('{event} was recorded {time} late')],
  [/^The footprint of (?<lot>.+) is incomplete$/su, phrase('The footprint of {lot} is incomplete')],
  [/^(?<lot>.+) is past its date$/su, phrase('{lot} is past its date')],
  [/^(?<lot>.+) expires on (?<day>\d{4}-\d\d-\d\d)$/su, phrase('{lot} expires on {day}')],
  [/^(?<lot>.+) is recalled and still in stock$/su, phrase('{lot} is recalled and still in stock')],
  [/^(?<lot>.+) is affected by a recall$/su, phrase('{lot} is affected by a recall')],
  [/^(?<lot>.+) waits to be accepted$/su, phrase('{lot} waits to be accepted')],
  [/^(?<event>.+) was prepared and not sent$/su, phrase('{event} was prepared and not sent')],
];

/** What to do about them. */
const RECOMMENDATIONS: ReadonlySet<string> = new Set([
  phrase('Record events when they happen: late events are missing when a recall is traced.'),
  phrase('Ask the suppliers whose figures the footprint of the lot lacks.'),
  phrase('Take the lot out of stock: retire it with a reason, or correct the event that stated its date.'),
  phrase('Use or sell this lot first.'),
  phrase('Return the lot to the company that recalled it, or destroy and retire it.'),
  phrase('Put the lot on hold until it is clear whether the recall covers it, then recall or release it.'),
  phrase('Ask the receiver to accept or reject the transfer, or cancel it.'),
  phrase('Sign and send its transaction, or withdraw the event.'),
  phrase('Correct the event and add the missing data; each element is listed with the paragraph that requires it.'),
] satisfies readonly Phrase[]);

const SECONDS: Readonly<Record<string, number>> = { day: 86_400, hour: 3600, minute: 60, second: 1 };

function lengthInWords(text: string): string {
  const [count, unit = ''] = text.split(' ');
  return showLength(Number(count) * (SECONDS[unit.replace(/s$/, '')] ?? 1));
}

/** In the language of the page; as the service says it where the form is another one. */
export function alertTitle(title: string): string {
  if (speaking.value.language === 'en') return title;
  for (const [form, text] of TITLES) {
    const found = form.exec(title)?.groups;
    if (found)
      return t(text, {
        ...found,
        ...(found['time'] && { time: lengthInWords(found['time']) }),
        ...(found['day'] && { day: showDay(found['day']) }),
      });
  }
  return title;
}

export const recommendationInWords = (text: string): string => (RECOMMENDATIONS.has(text) ? t(text as Phrase) : text);
