import { useState } from 'preact/hooks';
import { LotLink, Status } from '../parts/basics';
import { type Contacts, nameIn, useContacts } from '../parts/contacts';
import { showDay, showQuantity } from '../state/format';
import type { Direction, Model, Node } from './model';
import { t } from '../state/language';

const SHOWN = 20;

interface Reading {
  readonly model: Model;
  readonly busy: boolean;
  readonly onExpand: (node: Node, direction: Direction) => void;
}

/** The same lots from their origins down to the goods that are sold, to read with a thumb or a keyboard. */
export function VerticalLineage({ model, busy, onExpand }: Reading) {
  const contacts = useContacts();
  const levels = new Map<number, Node[]>();
  for (const node of model.nodes.values()) levels.set(node.column, [...(levels.get(node.column) ?? []), node]);
  return (
    <ol class="levels">
      {[...levels]
        .toSorted(([a], [b]) => a - b)
        .map(([column, nodes]) => (
          <li key={column}>
            <h3>{titleOf(column)}</h3>
            <Level nodes={nodes} root={model.root} contacts={contacts} busy={busy} onExpand={onExpand} />
          </li>
        ))}
    </ol>
  );
}

function titleOf(column: number): string {
  if (column === 0) return 'This lot';
  if (column === -1) return 'Made from';
  if (column === 1) return 'Went into';
  return column < 0 ? t('{count} levels before', { count: -column }) : t('{count} levels after', { count: column });
}

interface LevelOf extends Omit<Reading, 'model'> {
  readonly nodes: readonly Node[];
  readonly root: number;
  readonly contacts: Contacts | null;
}

function Level({ nodes, root, contacts, busy, onExpand }: LevelOf) {
  const [all, setAll] = useState(false);
  const shown = all ? nodes : nodes.slice(0, SHOWN);
  return (
    <>
      <ul>
        {shown.map((node) => (
          <li key={node.tokenId} class={node.recalled ? 'lot-recalled' : node.recallAffected ? 'lot-affected' : undefined}>
            <strong>{node.assetTypeName ?? node.assetType ?? t('Unknown product')}</strong>
            <span>
              {node.tokenId === root ? node.tlc : <LotLink id={node.tokenId}>{node.tlc}</LotLink>}{' '}
              <Status of={node.recalled ? 'recalled' : node.recallAffected ? 'affected' : node.status} />
            </span>
            <span>
              {showQuantity(node.quantity, node.uom)}, {showDay(node.eventTime)}
            </span>
            <span class="hint">{nameIn(contacts, node.custodian)}</span>
            {node.tokenId !== root && (
              <button type="button" disabled={busy} onClick={() => onExpand(node, node.column < 0 ? 'descendants' : 'ancestry')}>
                {node.column < 0 ? t('What else was made from it') : t('What else went into it')}
              </button>
            )}
          </li>
        ))}
      </ul>
      {shown.length < nodes.length && (
        <button type="button" onClick={() => setAll(true)}>
          {t('Show all {count}', { count: nodes.length })}
        </button>
      )}
    </>
  );
}
