import { useEffect, useMemo, useState } from 'preact/hooks';
import type { GraphView } from '#client';
import { LotLink, Section, Status, Table } from '../parts/basics';
import { Problem } from '../parts/problem';
import { api } from '../state/session';
import { useNarrow } from '../state/narrow';
import { GraphCanvas } from './canvas';
import { type Direction, type Model, type Node, asIfRecalled, emptyModel, withWalk } from './model';
import { VerticalLineage } from './vertical';
import { t } from '../state/language';

const BOTH: readonly Direction[] = ['ancestry', 'descendants'];
const FIRST_LOTS = 500;
const MORE_LOTS = 2_500;
const LISTED = 100;

const walk = (from: number, direction: Direction, lots: number, cursor: string | null): Promise<GraphView> =>
  api().get<GraphView>(
    `/api/v1/nfts/${from}/${direction}?maxDepth=50&maxNodes=${lots}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
  );

/**
 * Upstream and downstream lots, from the middle in both directions.
 * @param preview lots that a recall of the one in the middle would hit: shown as if it were so
 */
export function Lineage({
  root,
  title = t('Lineage'),
  directions = BOTH,
  preview = null,
}: {
  readonly root: number;
  readonly title?: string;
  readonly directions?: readonly Direction[];
  readonly preview?: ReadonlySet<number> | null;
}) {
  const [model, setModel] = useState<Model>(emptyModel(root));
  const [selected, setSelected] = useState<number | null>(null);
  const [busy, setBusy] = useState(true);
  const narrow = useNarrow();
  const [error, setError] = useState<unknown>(null);

  const add = async (from: number, direction: Direction, lots: number, cursor: string | null = null): Promise<void> => {
    const answer = await walk(from, direction, lots, cursor);
    setModel((before) => withWalk(before, from, direction, answer));
  };
  const during = (work: Promise<unknown>): void => {
    setBusy(true);
    setError(null);
    work.catch(setError).finally(() => setBusy(false));
  };
  // Shown when all are there: the first picture is the whole of them.
  const begin = (): void =>
    during(
      Promise.all(directions.map(async (direction) => [direction, await walk(root, direction, FIRST_LOTS, null)] as const)).then(
        (answers) => setModel(answers.reduce((so, [direction, answer]) => withWalk(so, root, direction, answer), emptyModel(root))),
      ),
    );
  useEffect(begin, [root]);

  const shown = useMemo(() => (preview === null ? model : asIfRecalled(model, preview)), [model, preview]);
  const chosen = selected === null ? null : shown.nodes.get(selected);
  return (
    <Section title={title} aside={<Legend would={preview !== null} />}>
      {narrow ? (
        <VerticalLineage model={shown} busy={busy} onExpand={(node, direction) => during(add(node.tokenId, direction, FIRST_LOTS))} />
      ) : (
        <GraphCanvas model={shown} selected={selected} onSelect={setSelected} />
      )}
      <p class="count" role="status">
        {busy ? t('Walking …') : t('{lots} lots, {links} links', { lots: model.nodes.size, links: model.edges.size })}
      </p>
      <Problem of={error} again={model.nodes.size === 0 ? begin : undefined!} />
      {[...model.cuts.values()].map(({ from, direction, cursor }) => (
        <p key={`${direction} ${from}`} class="notice">
          {direction === 'ancestry' ? t('There are more upstream lots.') : t('There are more downstream lots.')}{' '}
          {cursor !== null && (
            <button type="button" disabled={busy} onClick={() => during(add(from, direction, MORE_LOTS, cursor))}>
              {t('Show {count} more', { count: MORE_LOTS })}
            </button>
          )}
        </p>
      ))}
      {chosen && !narrow && (
        <Chosen node={chosen} busy={busy} onExpand={(direction) => during(add(chosen.tokenId, direction, FIRST_LOTS))} />
      )}
      <div hidden={narrow}>
        <LineageTable nodes={[...shown.nodes.values()]} onChoose={setSelected} />
      </div>
    </Section>
  );
}

function Legend({ would }: { readonly would: boolean }) {
  return (
    <span class="legend">
      <span class="key key-recalled">{would ? t('Would be recalled') : t('Recalled')}</span>
      <span class="key key-affected">{would ? t('Would be affected') : t('Affected')}</span>
    </span>
  );
}

function Chosen({
  node,
  busy,
  onExpand,
}: {
  readonly node: Node;
  readonly busy: boolean;
  readonly onExpand: (direction: Direction) => void;
}) {
  return (
    <div class="chosen" role="status">
      <strong>{node.tlc}</strong> <span>{node.assetTypeName ?? node.assetType}</span> <Status of={node.status} />
      <LotLink id={node.tokenId}>{t('Open this lot')}</LotLink>
      <button type="button" disabled={busy} onClick={() => onExpand('ancestry')}>
        {t('Upstream lots')}
      </button>
      <button type="button" disabled={busy} onClick={() => onExpand('descendants')}>
        {t('Downstream lots')}
      </button>
    </div>
  );
}

/** The same for those who do not see the drawing. */
function LineageTable({ nodes, onChoose }: { readonly nodes: readonly Node[]; readonly onChoose: (tokenId: number) => void }) {
  const shown = nodes.slice(0, LISTED);
  const place = ({ column }: Node): string =>
    column === 0 ? t('This lot') : column < 0 ? t('{count} before', { count: -column }) : t('{count} after', { count: column });
  return (
    <details>
      <summary>{t('As a table')}</summary>
      <Table
        caption={t('Lots of the graph')}
        rows={shown}
        keyOf={({ tokenId }) => tokenId}
        columns={[
          { name: t('Lot code'), show: ({ tokenId, tlc }) => <LotLink id={tokenId}>{tlc}</LotLink> },
          { name: t('Product'), show: ({ assetTypeName, assetType }) => assetTypeName ?? assetType },
          { name: t('Position'), show: place },
          {
            name: t('Status'),
            show: ({ status, recalled, recallAffected }) => <Status of={recalled ? 'recalled' : recallAffected ? 'affected' : status} />,
          },
          {
            name: t('Graph'),
            show: ({ tokenId, tlc }) => (
              <button type="button" aria-label={t('Choose {lot} in the graph', { lot: tlc })} onClick={() => onChoose(tokenId)}>
                {t('Choose')}
              </button>
            ),
          },
        ]}
      />
      {nodes.length > shown.length && <p class="hint">{t('First {shown} of {all}.', { shown: LISTED, all: nodes.length })}</p>}
    </details>
  );
}
