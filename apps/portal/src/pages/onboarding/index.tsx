import '../work.css';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Empty, Link, LotLink, Show } from '../../parts/basics';
import { type Phrase, phrase, t } from '../../state/language';
import { useDraft } from '../../state/load';
import { administersAll } from '../../state/rights';
import { FirstSite, Invite, NameOrganisation } from './people-and-places';
import { ChooseTemplate } from './choose-template';
import { type Progress, doneOf, useProgress } from './progress';

const PARTS: readonly Phrase[] = [
  phrase('Name your organisation'),
  phrase('Choose what you record'),
  phrase('Invite your colleagues'),
  phrase('Add your first place'),
  phrase('Record the first lot'),
];

/** From an empty tenant to its first lot. It may be left and continued at any time. */
export default function OnboardingPage() {
  const progress = useProgress();
  const [skipped, setSkipped] = useDraft<readonly number[]>('onboarding.skipped', []);
  if (!administersAll.value) return <Empty>{t('Only an administrator of every process sets up the tenant.')}</Empty>;
  return (
    <>
      <h1>{t('Set up your tenant')}</h1>
      <Show what={progress}>
        {(reached) => {
          const done = doneOf(reached);
          const current = done.findIndex((one, index) => !one && !skipped.includes(index));
          return (
            <>
              <p class="hint" role="status">
                {t('{done} of {all} done. You can leave this page and continue later.', {
                  done: done.filter(Boolean).length,
                  all: PARTS.length,
                })}
              </p>
              <ol class="setup">
                {PARTS.map((title, index) => (
                  <Part key={title} title={t(title)} number={index + 1} done={done[index]!} open={index === current}>
                    <Content index={index} of={reached} after={progress.again} skip={() => setSkipped([...skipped, index])} />
                  </Part>
                ))}
              </ol>
            </>
          );
        }}
      </Show>
    </>
  );
}

function Part({
  title,
  number,
  done,
  open,
  children,
}: {
  readonly title: string;
  readonly number: number;
  readonly done: boolean;
  readonly open: boolean;
  readonly children: ComponentChildren;
}) {
  const [wanted, setWanted] = useState(false);
  return (
    <li class="card" aria-current={open ? 'true' : undefined}>
      <header>
        <h2>
          <span aria-hidden="true">{done ? '✓' : `${number}.`}</span> {title}
        </h2>
        {done ? <span class="status status-ok">{t('Done')}</span> : null}
      </header>
      {open || wanted ? (
        children
      ) : (
        <button type="button" onClick={() => setWanted(true)}>
          {done ? t('Show') : t('Do this now')}
        </button>
      )}
    </li>
  );
}

function Content({
  index,
  of,
  after,
  skip,
}: {
  readonly index: number;
  readonly of: Progress;
  readonly after: () => void;
  readonly skip: () => void;
}) {
  switch (index) {
    case 0:
      return <NameOrganisation of={of} after={after} />;
    case 1:
      return <ChooseTemplate of={of} after={after} />;
    case 2:
      return <Invite of={of} after={after} skip={skip} />;
    case 3:
      return <FirstSite of={of} after={after} />;
    default:
      return <FirstLot of={of} />;
  }
}

function FirstLot({ of: { firstLot, maps } }: { readonly of: Progress }) {
  if (firstLot)
    return (
      <p>
        {t('Your tenant has recorded:')} <LotLink id={firstLot.tokenId}>{firstLot.tlc}</LotLink>
      </p>
    );
  const first = maps[0]?.processes.find(({ kind }) => kind === 'creation');
  return (
    <div class="stack">
      <p>
        {t('Choose a process, fill in its form and sign. To sign you need a wallet, or a passkey on this device.')}{' '}
        <Link to="/passkeys">{t('Add or delete passkeys')}</Link>
      </p>
      <div class="actions">
        <Link class="button" to="/record">
          {first ? t('Record: {process}', { process: first.label }) : t('Record an event')}
        </Link>
      </div>
    </div>
  );
}
