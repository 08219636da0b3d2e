import type { EventView, FootprintView, LotView } from '#client';
import './acting.css';
import { Lineage } from '../graph/lineage';
import { Bars } from '../parts/bars';
import { Empty, Facts, Link, LotLink, Section, Show, Status, Table } from '../parts/basics';
import { shortHash, showNumber, showQuantity, showTime, showUnit, words } from '../state/format';
import { type List, useList } from '../state/list';
import { useLoad } from '../state/load';
import { More } from '../parts/more';
import { api } from '../state/session';
import { Documents, documentsOf } from './lot/documents';
import { HandOver } from './lot/hand-over';
import { Label } from './lot/label';
import { LotRecalls } from './lot/recalls';
import { Custody } from './lot/transfer-history';

export default function LotPage({ tokenId }: { readonly tokenId: number }) {
  const at = `/api/v1/nfts/${tokenId}`;
  const lot = useLoad(at, () => api().get<LotView>(at));
  const events = useList<EventView>(`${at}/events?limit=100`);
  return (
    <Show what={lot}>
      {(shown) => (
        <>
          <h1>{shown.tlc}</h1>
          <p class="lead">
            {shown.assetTypeName ?? shown.assetType} <Status of={shown.status} />
            {shown.recallAffected && !shown.recalled && <span class="status status-affected">Affected by a recall</span>}
            {!shown.confirmed && <span class="status">Not final yet</span>}
          </p>
          {(shown.recalled || shown.recallAffected) && <LotRecalls lot={shown} />}
          <LotFacts lot={shown} />
          <HandOver lot={shown} again={lot.again} />
          <Label lot={shown} />
          <Lineage root={tokenId} />
          <Footprint tokenId={tokenId} />
          <History events={events} />
          <Section title="Custody">
            <Custody tokenId={tokenId} />
          </Section>
          <LotDocuments events={events} />
        </>
      )}
    </Show>
  );
}

function LotFacts({ lot }: { readonly lot: LotView }) {
  const at = `/api/v1/events/${lot.mintEventId}`;
  const made = useLoad(at, () => api().get<EventView>(at)).data;
  return (
    <Section title="Facts">
      <Facts
        of={[
          ['Made', showQuantity(lot.quantity, lot.uom)],
          ['Left', showQuantity(lot.remainingQuantity, lot.uom)],
          ['Held by', <span title={lot.custodian}>{lot.custodianLabel}</span>],
          ['In transfer to', lot.pendingCustodian && <span title={lot.pendingCustodian}>{shortHash(lot.pendingCustodian)}</span>],
          [made?.processLabel ?? 'Made', showTime(made?.eventTime ?? lot.createdAt)],
          ['Recorded', showTime(lot.createdAt)],
          ['Expires', lot.expiresAt && showTime(lot.expiresAt)],
          ['Part of', lot.splitFrom && <LotLink id={lot.splitFrom}>lot {lot.splitFrom}</LotLink>],
          ['In container', lot.containerTokenId && <LotLink id={lot.containerTokenId}>lot {lot.containerTokenId}</LotLink>],
          ['GTIN', lot.gtin],
          ['Process map', lot.processMapName && `${lot.processMapName} ${lot.processMapVersion ?? ''}`],
          ['Token', lot.tokenId],
          ['Transaction', <code title={lot.txHash}>{shortHash(lot.txHash)}</code>],
          ['Content', <code title={lot.metadataCid}>{shortHash(lot.metadataCid)}</code>],
        ]}
      />
    </Section>
  );
}

const INDICATORS = { carbon: 'Carbon', water: 'Water', energy: 'Energy', waste: 'Waste' } as const;

function Footprint({ tokenId }: { readonly tokenId: number }) {
  const at = `/api/v1/nfts/${tokenId}/footprint`;
  const footprint = useLoad(at, () => api().get<FootprintView>(at));
  return (
    <Section title="Footprint">
      <Show what={footprint}>
        {({ indicators, nodeCount }) => {
          const known = (Object.keys(INDICATORS) as (keyof typeof INDICATORS)[]).filter((key) => indicators[key].total !== null);
          if (known.length === 0) return <Empty>No event of this lot or its inputs declares a footprint.</Empty>;
          return (
            <>
              <p class="hint">This lot and all its inputs, by process; {showNumber(nodeCount)} lots.</p>
              <div class="charts">
                {known.map((key) => {
                  const { total, unit, lowerBound, byProcess } = indicators[key];
                  const caption = `${INDICATORS[key]}: ${lowerBound ? 'at least ' : ''}${showNumber(total)} ${showUnit(unit)}`;
                  return <Bars key={key} caption={caption} unit={showUnit(unit)} values={byProcess as Record<string, number>} />;
                })}
              </div>
            </>
          );
        }}
      </Show>
    </Section>
  );
}

function History({ events }: { readonly events: List<EventView> }) {
  return (
    <Section title="History">
      <Show what={events}>
        {({ data }) => (
          <>
            <Table
              caption="Events of this lot"
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                {
                  name: 'When',
                  show: ({ id, eventTime, recordTime }) => <Link to={`/events/${id}`}>{showTime(eventTime ?? recordTime)}</Link>,
                },
                { name: 'Process', show: ({ processLabel, processType }) => processLabel ?? words(processType) },
                { name: 'By', show: ({ actor }) => actor.orgName ?? shortHash(actor.address) },
                { name: 'Inputs', show: ({ inputs }) => <LotList ids={inputs.map(({ tokenId }) => tokenId)} /> },
                { name: 'Status', show: ({ status }) => <Status of={status} /> },
              ]}
            />
            <More of={events} />
          </>
        )}
      </Show>
    </Section>
  );
}

const MANY = 5;
function LotList({ ids }: { readonly ids: readonly (number | string)[] }) {
  if (ids.length === 0) return <>–</>;
  return (
    <>
      {ids.slice(0, MANY).map((id, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <LotLink id={id}>{id}</LotLink>
        </span>
      ))}
      {ids.length > MANY && ` and ${ids.length - MANY} more`}
    </>
  );
}

function LotDocuments({ events }: { readonly events: List<EventView> }) {
  return (
    <Section title="Documents">
      <Show what={events}>
        {({ data }) => {
          const documents = data.flatMap(documentsOf);
          if (documents.length === 0 && !events.more) return <Empty>No documents</Empty>;
          return (
            <>
              <Documents caption="Documents of this lot" of={documents} where="Event" />
              {events.more && <p class="hint">From the events shown above. There are more events.</p>}
            </>
          );
        }}
      </Show>
    </Section>
  );
}
