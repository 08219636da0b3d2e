import { useState } from 'preact/hooks';
import type { AcknowledgementsView, LotAcknowledgementView } from '#client';
import { Action } from '../parts/action';
import { Empty, LotLink, Section, Show, Status, Table } from '../parts/basics';
import { showNumber, showTime } from '../state/format';
import { useLoad } from '../state/load';
import { api, me } from '../state/session';

const ANSWERS = [
  ['quarantined', 'Quarantined'],
  ['returned', 'Returned'],
  ['destroyed', 'Destroyed'],
  ['not_found', 'Not found'],
] as const;
type Answer = (typeof ANSWERS)[number][0];

/** What holders did with the lots of a recall or of a drill that asks; the holder says it here. */
export default function RecallAnswersPage({ id }: { readonly id: string }) {
  const answers = useLoad(id, () => api().get<AcknowledgementsView>(`/api/v1/recalls/${id}/acknowledgements?limit=100`));
  return (
    <>
      <h1>Lots of a recall</h1>
      <Show what={answers}>
        {({ data, holders, drill, lots }) => (
          <>
            {drill && <p class="hint">This is a drill: nothing was recalled. Answer as if it were a recall.</p>}
            <Section title="Lots">
              {lots === 0 ? (
                <Empty>No lot is left to answer for, or the recall was lifted.</Empty>
              ) : (
                <Table
                  caption="Lots, those without an answer first"
                  rows={data}
                  keyOf={({ tokenId }) => tokenId}
                  columns={[
                    { name: 'Lot', show: ({ tokenId, tlc }) => <LotLink id={tokenId}>{tlc ?? tokenId}</LotLink> },
                    { name: 'Holder', show: ({ custodian }) => holders.find(({ address }) => address === custodian)?.label ?? custodian },
                    { name: 'Answer', show: ({ state }) => (state === null ? 'None yet' : <Status of={state} />) },
                    { name: 'When', show: ({ acknowledgedAt }) => showTime(acknowledgedAt) },
                    { name: 'Your answer', show: (lot) => <GiveAnswer id={id} lot={lot} again={answers.again} /> },
                  ]}
                />
              )}
            </Section>
            <Section title="Holders">
              <Table
                caption="Holders, those with most lots without an answer first"
                rows={holders}
                keyOf={({ address }) => address}
                columns={[
                  { name: 'Holder', show: ({ label }) => label },
                  { name: 'Lots', number: true, show: (one) => showNumber(one.lots) },
                  { name: 'Answered', number: true, show: ({ acknowledged }) => showNumber(acknowledged) },
                ]}
              />
            </Section>
          </>
        )}
      </Show>
    </>
  );
}

function GiveAnswer({ id, lot, again }: { readonly id: string; readonly lot: LotAcknowledgementView; readonly again: () => void }) {
  const [state, setState] = useState<Answer>('quarantined');
  if (lot.custodian !== me.value?.wallet) return <>–</>;
  const send = async (): Promise<void> => {
    await api().recalls.acknowledge(id, [{ tokenId: lot.tokenId, state }]);
    again();
  };
  return (
    <>
      <select
        aria-label={`Answer for ${lot.tlc ?? lot.tokenId}`}
        value={state}
        onChange={({ currentTarget }) => setState(currentTarget.value as Answer)}
      >
        {ANSWERS.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <Action label="Answer" run={send} />
    </>
  );
}
