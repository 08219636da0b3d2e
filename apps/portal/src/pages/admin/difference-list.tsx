import { Empty } from '../../parts/basics';
import { differences } from './differences';
import { phrase, t } from '../../state/language';

const LISTED = 200;
const MOST_CHARACTERS = 300;
const say = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)} …` : text;
};
const WORDS = { added: phrase('New'), removed: phrase('Gone'), changed: phrase('Changed') } as const;

export function DifferenceList({ before, after }: { readonly before: unknown; readonly after: unknown }) {
  const found = differences(before, after);
  if (found.length === 0) return <Empty>{t('No differences.')}</Empty>;
  return (
    <>
      <ul class="diff">
        {found.slice(0, LISTED).map(({ pointer, kind, ...values }) => (
          <li key={pointer}>
            <span>{t(WORDS[kind])}</span>
            <span>
              <code>{pointer || '/'}</code>
              {'before' in values && (
                <div>
                  <del>{say(values.before)}</del>
                </div>
              )}
              {'after' in values && (
                <div>
                  <ins>{say(values.after)}</ins>
                </div>
              )}
            </span>
          </li>
        ))}
      </ul>
      {found.length > LISTED && <p class="hint">{t('First {shown} of {total}.', { shown: LISTED, total: found.length })}</p>}
    </>
  );
}
