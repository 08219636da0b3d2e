import { useMemo, useState } from 'preact/hooks';
import type { LotView, PreparedRecallView, RecallImpactView } from '#client';
import { Lineage } from '../graph/lineage';
import { Bars } from '../parts/bars';
import { Empty, Facts, Field, Link, LotLink, Section, Show, Status, Table } from '../parts/basics';
import { Sign } from '../parts/sign';
import { showNumber, words } from '../state/format';
import { useDraft, useLoad } from '../state/load';
import { go } from '../state/router';
import { administersAll } from '../state/rights';
import { api, isAdmin } from '../state/session';

const CLASSES = ['I', 'II', 'III', 'withdrawal', 'unclassified'];
const PROPAGATIONS: Readonly<Record<string, string>> = {
  flag: 'Flag affected lots',
  hold: 'Hold affected lots',
  recall: 'Recall affected lots',
  none: 'This lot only',
};
const FORWARD = ['descendants'] as const;
const EMPTY = { reason: '', recallClass: 'unclassified', propagation: 'flag', instructions: '' };

/** First what would be hit, then the recall itself. */
export default function RecallPage({ tokenId }: { readonly tokenId: number }) {
  const at = `/api/v1/nfts/${tokenId}/recall-impact`;
  const impact = useLoad(at, () => api().get<RecallImpactView>(at));
  const lot = useLoad(`lot ${tokenId}`, () => api().get<LotView>(`/api/v1/nfts/${tokenId}`));
  const hit = useMemo(() => new Set(impact.data?.descendants.map((descendant) => descendant.tokenId)), [impact.data]);
  return (
    <>
      <h1>Recall {lot.data?.tlc ?? `lot ${tokenId}`}</h1>
      <p>
        <Link to={`/lots/${tokenId}`}>Back to the lot and its lineage</Link>
      </p>
      <Section title="Recall preview">
        <Show what={impact}>{(shown) => <Impact of={shown} />}</Show>
      </Section>
      {impact.data && <Lineage root={tokenId} title="Downstream lots" directions={FORWARD} preview={hit} />}
      {isAdmin.value ? <RecallForm tokenId={tokenId} /> : <Empty>Only a tenant administrator can recall a lot.</Empty>}
    </>
  );
}

const LISTED = 50;

function Impact({ of }: { readonly of: RecallImpactView }) {
  const units = Object.fromEntries(
    of.unitsByAssetType
      .filter(({ units: count }) => count > 0)
      .map(({ assetTypeName, assetType, units: count }) => [assetTypeName ?? assetType ?? 'unknown', count]),
  );
  return (
    <>
      <Facts
        of={[
          ['Affected lots', `${of.truncated ? 'at least ' : ''}${showNumber(of.descendants.length)}`],
          ['Units in the market', of.estimatedUnits === null ? 'not all counted' : showNumber(of.estimatedUnits)],
          ['Companies to notify', showNumber(of.actors.length)],
          ['Countries', of.countries.join(', ') || 'unknown'],
        ]}
      />
      {of.truncated && <p class="notice">The result is incomplete: the walk reached its limit.</p>}
      {of.descendants.length === 0 ? (
        <Empty>No downstream lots: the recall affects this lot only.</Empty>
      ) : (
        <>
          {Object.keys(units).length > 0 && <Bars caption="Units by product" unit="" values={units} />}
          <h3>Companies involved</h3>
          <Table
            caption="Companies that hold or made affected lots"
            rows={of.actors}
            keyOf={({ address }) => address}
            columns={[
              { name: 'Company', show: ({ label, address }) => <span title={address}>{label}</span> },
              { name: 'Roles', show: ({ roles }) => roles.map(words).join(', ') },
              { name: 'Lots', number: true, show: ({ tokenIds }) => showNumber(tokenIds.length) },
            ]}
          />
          <h3>Affected lots</h3>
          <Table
            caption="Affected lots"
            rows={of.descendants.slice(0, LISTED)}
            keyOf={({ tokenId }) => tokenId}
            columns={[
              { name: 'Lot', show: ({ tokenId, tlc }) => <LotLink id={tokenId}>{tlc}</LotLink> },
              { name: 'Product', show: ({ assetTypeName }) => assetTypeName ?? '–' },
              { name: 'Status', show: ({ status }) => <Status of={status} /> },
              { name: 'Held by', show: ({ custodianLabel }) => custodianLabel },
            ]}
          />
          {of.descendants.length > LISTED && (
            <p class="hint">
              First {LISTED} of {showNumber(of.descendants.length)}.
            </p>
          )}
        </>
      )}
    </>
  );
}

function RecallForm({ tokenId }: { readonly tokenId: number }) {
  const [draft, setDraft] = useDraft(`recall ${tokenId}`, EMPTY);
  const [landed, setLanded] = useState(false);
  const set = (change: Partial<typeof EMPTY>): void => setDraft({ ...draft, ...change });
  const prepare = (): Promise<PreparedRecallView> => {
    const { instructions, ...asked } = draft;
    return api().post(`/api/v1/nfts/${tokenId}/recall/prepare`, { ...asked, ...(instructions && { instructions }) });
  };
  return (
    <Section title="Recall">
      <div class="stack">
        {!administersAll.value && (
          <p class="hint">
            You can recall this lot if you administer the process in which it was made, and hold or recall only lots of your processes.
          </p>
        )}
        <Field label="Reason">
          <input value={draft.reason} required onInput={({ currentTarget }) => set({ reason: currentTarget.value })} />
        </Field>
        <Field label="Class">
          <select value={draft.recallClass} onChange={({ currentTarget }) => set({ recallClass: currentTarget.value })}>
            {CLASSES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </Field>
        <Field label="Downstream lots">
          <select value={draft.propagation} onChange={({ currentTarget }) => set({ propagation: currentTarget.value })}>
            {Object.entries(PROPAGATIONS).map(([key, label]) => (
              <option key={key} value={key}>
                {label}
              </option>
            ))}
          </select>
        </Field>
        <Field label="Instructions for holders">
          <textarea rows={3} value={draft.instructions} onInput={({ currentTarget }) => set({ instructions: currentTarget.value })} />
        </Field>
        <Sign
          label="Recall this lot"
          type="recall"
          danger
          disabled={draft.reason.trim() === '' || landed}
          prepare={prepare}
          onLanded={() => {
            setLanded(true);
            setDraft(EMPTY);
            go(`/lots/${tokenId}`);
          }}
        />
      </div>
    </Section>
  );
}
