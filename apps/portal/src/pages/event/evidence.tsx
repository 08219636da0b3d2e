import type { EventView } from '#client';
import { Facts, Section, Status, Table } from '../../parts/basics';
import { Action } from '../../parts/action';
import { useState } from 'preact/hooks';
import { showTime } from '../../state/format';
import { save } from '../../state/save';
import { api } from '../../state/session';
import { phrase, t, translated, tx } from '../../state/language';

interface Verification {
  readonly status: string;
  readonly checkedAt: string;
  readonly links: readonly { readonly link: string; readonly status: string; readonly detail: string }[];
}

const LINKS: Readonly<Record<string, string>> = {
  bytes_cid: phrase('Stored bytes have this CID'),
  cid_data_hash: phrase('CID and data hash are one digest'),
  data_hash_chain: phrase('The chain recorded this data hash'),
  record_content: phrase('This page shows what was stored'),
  content_sender: phrase('Who signed is whom it was prepared for'),
  record_chain: phrase('The record is what the contract committed to'),
};

/** Who signed and paid, where it is on chain, and a check of all of it on request. */
export function Evidence({ event }: { readonly event: EventView }) {
  const [verification, setVerification] = useState<Verification | null>(null);
  const { id, actor, relay, txHash, blockNumber, chainId, contractAddress, dataHash, ipfsCid, landedAt, senderMismatch, preparedSender } =
    event;
  const code = (text: string | null) => (text === null ? null : <code>{text}</code>);
  const at = `/api/v1/events/${id}`;
  return (
    <Section title={t('Evidence')}>
      <Facts
        of={[
          [t('Signed by'), code(relay?.signedBy ?? actor.address)],
          [t('Gas paid by'), code(relay?.paidBy ?? actor.address)],
          [t('On chain since'), landedAt && showTime(landedAt)],
          [
            t('Block'),
            blockNumber === null ? t('not on chain yet') : t('{block} of chain {chain}', { block: blockNumber, chain: String(chainId) }),
          ],
          [t('Transaction'), code(txHash)],
          [t('Contract'), code(contractAddress)],
          [t('Data hash (SHA-256)'), code(dataHash)],
          [t('Content (CID)'), code(ipfsCid)],
        ]}
      />
      {senderMismatch && (
        <p class="notice">
          {tx('Another wallet signed than the event was prepared for: {address}', { address: <code>{preparedSender}</code> })}
        </p>
      )}
      <div class="actions">
        <Action label={t('Verify now')} run={async () => setVerification(await api().get<Verification>(`${at}/verify`))} />
        <Action label={t('Download the stored bytes')} run={async () => save(await api().download(`${at}/content`), `event-${id}.json`)} />
      </div>
      {verification && (
        <>
          <p role="status">
            {verification.status === 'ok' ? t('Everything agrees.') : t('Not everything could be confirmed.')}{' '}
            {t('Checked {time}.', { time: showTime(verification.checkedAt) })}
          </p>
          <Table
            caption={t('Links from the stored bytes to the chain')}
            rows={verification.links}
            keyOf={({ link }) => link}
            columns={[
              { name: t('Check'), show: ({ link }) => translated(LINKS[link] ?? link) },
              { name: t('Result'), show: ({ status }) => <Status of={status} /> },
              { name: t('Detail'), show: ({ detail }) => <span class="details">{detail}</span> },
            ]}
          />
        </>
      )}
    </Section>
  );
}
