import type { EventView } from '#client';
import { Facts, Section, Status, Table } from '../../parts/basics';
import { Action } from '../../parts/action';
import { useState } from 'preact/hooks';
import { showNumber, showTime } from '../../state/format';
import { save } from '../../state/save';
import { api } from '../../state/session';

interface Verification {
  readonly status: string;
  readonly checkedAt: string;
  readonly links: readonly { readonly link: string; readonly status: string; readonly detail: string }[];
}

const LINKS: Readonly<Record<string, string>> = {
  bytes_cid: 'Stored bytes have this CID',
  cid_data_hash: 'CID and data hash are one digest',
  data_hash_chain: 'The chain recorded this data hash',
  record_content: 'This page shows what was stored',
  content_sender: 'Who signed is whom it was prepared for',
  record_chain: 'The record is what the contract committed to',
};

/** Who signed and paid, where it is on chain, and a check of all of it on request. */
export function Evidence({ event }: { readonly event: EventView }) {
  const [verification, setVerification] = useState<Verification | null>(null);
  const { id, actor, relay, txHash, blockNumber, chainId, contractAddress, dataHash, ipfsCid, landedAt, senderMismatch, preparedSender } =
    event;
  const code = (text: string | null) => (text === null ? null : <code>{text}</code>);
  const at = `/api/v1/events/${id}`;
  return (
    <Section title="Evidence">
      <Facts
        of={[
          ['Signed by', code(relay?.signedBy ?? actor.address)],
          ['Gas paid by', code(relay?.paidBy ?? actor.address)],
          ['On chain since', landedAt && showTime(landedAt)],
          ['Block', blockNumber === null ? 'not on chain yet' : `${showNumber(blockNumber)} of chain ${chainId}`],
          ['Transaction', code(txHash)],
          ['Contract', code(contractAddress)],
          ['Data hash (SHA-256)', code(dataHash)],
          ['Content (CID)', code(ipfsCid)],
        ]}
      />
      {senderMismatch && (
        <p class="notice">
          Another wallet signed than the event was prepared for: <code>{preparedSender}</code>
        </p>
      )}
      <div class="actions">
        <Action label="Verify now" run={async () => setVerification(await api().get<Verification>(`${at}/verify`))} />
        <Action label="Download the stored bytes" run={async () => save(await api().download(`${at}/content`), `event-${id}.json`)} />
      </div>
      {verification && (
        <>
          <p role="status">
            {verification.status === 'ok' ? 'Everything agrees.' : 'Not everything could be confirmed.'} Checked{' '}
            {showTime(verification.checkedAt)}.
          </p>
          <Table
            caption="Links from the stored bytes to the chain"
            rows={verification.links}
            keyOf={({ link }) => link}
            columns={[
              { name: 'Check', show: ({ link }) => LINKS[link] ?? link },
              { name: 'Result', show: ({ status }) => <Status of={status} /> },
              { name: 'Detail', show: ({ detail }) => <span class="details">{detail}</span> },
            ]}
          />
        </>
      )}
    </Section>
  );
}
