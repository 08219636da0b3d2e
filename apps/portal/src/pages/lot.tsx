import type { EventView, FootprintView, LotView } from '#client';
import './acting.css';
import { Lineage } from '../graph/lineage';
import { lazyPage } from '../parts/lazy-page';
import { Bars } from '../parts/bars';
import { Empty, Facts, Link, LotLink, Section, Show, Status, Table } from '../parts/basics';
import { shortHash, showNumber, showQuantity, showTime, showUnit, words } from '../state/format';
import { nameIn, useContacts } from '../parts/contacts';
import { type List, useList } from '../state/list';
import { useLoad } from '../state/load';
import { useProcessNames } from '../state/process-names';
import { More } from '../parts/more';
import { api } from '../state/session';
import { Documents, documentsOf } from './lot/documents';
import { HandOver } from './lot/hand-over';
import { Label } from './lot/label';
import { LotRecalls } from './lot/recalls';
import { Custody } from './lot/transfer-history';
import { phrase, plural, t, translated } from '../state/language';

const LotMap = lazyPage(() => import('../map/lot-map'));

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
            {shown.recallAffected && !shown.recalled && <span class="status status-affected">{t('Affected by a recall')}</span>}
            {!shown.confirmed && <span class="status">{t('Not final yet')}</span>}
          </p>
          {(shown.recalled || shown.recallAffected) && <LotRecalls lot={shown} />}
          <LotFacts lot={shown} />
          <HandOver lot={shown} again={lot.again} />
          <Label lot={shown} />
          <Lineage root={tokenId} />
          <LotMap tokenId={tokenId} />
          <Footprint tokenId={tokenId} />
          <History events={events} />
          <Section title={t('Custody')}>
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
  const contacts = useContacts();
  const made = useLoad(at, () => api().get<EventView>(at)).data;
  return (
    <Section title={t('Facts')}>
      <Facts
        of={[
          [t('Made'), showQuantity(lot.quantity, lot.uom)],
          [t('Left'), showQuantity(lot.remainingQuantity, lot.uom)],
          [t('Held by'), <span title={lot.custodian}>{lot.custodianLabel}</span>],
          [t('In transfer to'), lot.pendingCustodian && <span title={lot.pendingCustodian}>{nameIn(contacts, lot.pendingCustodian)}</span>],
          [made?.processLabel ?? 'Made', showTime(made?.eventTime ?? lot.createdAt)],
          [t('Recorded'), showTime(lot.createdAt)],
          [t('Expires'), lot.expiresAt && showTime(lot.expiresAt)],
          [t('Part of'), lot.splitFrom && <LotLink id={lot.splitFrom}>{t('lot {id}', { id: String(lot.splitFrom) })}</LotLink>],
          [
            t('In container'),
            lot.containerTokenId && <LotLink id={lot.containerTokenId}>{t('lot {id}', { id: String(lot.containerTokenId) })}</LotLink>,
          ],
          [t('GTIN'), lot.gtin],
          [t('Process map'), lot.processMapName && `${lot.processMapName} ${lot.processMapVersion ?? ''}`],
          [t('Token'), lot.tokenId],
          [t('Transaction'), <code title={lot.txHash}>{shortHash(lot.txHash)}</code>],
          [t('Content'), <code title={lot.metadataCid}>{shortHash(lot.metadataCid)}</code>],
        ]}
      />
    </Section>
  );
}

const INDICATORS = { carbon: phrase('Carbon'), water: phrase('Water'), energy: phrase('Energy'), waste: phrase('Waste') } as const;

function Footprint({ tokenId }: { readonly tokenId: number }) {
  const at = `/api/v1/nfts/${tokenId}/footprint`;
  const footprint = useLoad(at, () => api().get<FootprintView>(at));
  const nameOf = useProcessNames();
  return (
    <Section title={t('Footprint')}>
      <Show what={footprint}>
        {({ indicators, nodeCount }) => {
          const known = (Object.keys(INDICATORS) as (keyof typeof INDICATORS)[]).filter((key) => indicators[key].total !== null);
          if (known.length === 0) return <Empty>{t('No event of this lot or its inputs declares a footprint.')}</Empty>;
          return (
            <>
              <p class="hint">{t('This lot and all its inputs, by process; {count} lots.', { count: nodeCount })}</p>
              <div class="charts">
                {known.map((key) => {
                  const { total, unit, lowerBound, byProcess } = indicators[key];
                  const caption = `${translated(INDICATORS[key])}: ${lowerBound ? t('at least {amount}', { amount: `${showNumber(total)} ${showUnit(unit)}` }) : `${showNumber(total)} ${showUnit(unit)}`}`;
                  return (
                    <Bars key={key} caption={caption} unit={showUnit(unit)} name={nameOf} values={byProcess as Record<string, number>} />
                  );
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
    <Section title={t('History')}>
      <Show what={events}>
        {({ data }) => (
          <>
            <Table
              caption={t('Events of this lot')}
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                {
                  name: t('When'),
                  show: ({ id, eventTime, recordTime }) => <Link to={`/events/${id}`}>{showTime(eventTime ?? recordTime)}</Link>,
                },
                { name: t('Process'), show: ({ processLabel, processType }) => processLabel ?? words(processType) },
                { name: t('By'), show: ({ actor }) => actor.orgName ?? shortHash(actor.address) },
                { name: t('Inputs'), show: ({ inputs }) => <LotList of={inputs} /> },
                { name: t('Status'), show: ({ status }) => <Status of={status} /> },
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
function LotList({ of }: { readonly of: EventView['inputs'] }) {
  if (of.length === 0) return <>–</>;
  return (
    <>
      {of.slice(0, MANY).map(({ tokenId, tlc }, index) => (
        <span key={tokenId}>
          {index > 0 && ', '}
          <LotLink id={tokenId}>{tlc ?? tokenId}</LotLink>
        </span>
      ))}
      {of.length > MANY && ` ${plural(of.length - MANY, 'and {count} more', 'and {count} more')}`}
    </>
  );
}

function LotDocuments({ events }: { readonly events: List<EventView> }) {
  return (
    <Section title={t('Documents')}>
      <Show what={events}>
        {({ data }) => {
          const documents = data.flatMap(documentsOf);
          if (documents.length === 0 && !events.more) return <Empty>{t('No documents')}</Empty>;
          return (
            <>
              <Documents caption={t('Documents of this lot')} of={documents} where={t('Event')} />
              {events.more && <p class="hint">{t('From the events shown above. There are more events.')}</p>}
            </>
          );
        }}
      </Show>
    </Section>
  );
}
