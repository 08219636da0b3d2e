import type { ProcessMapView } from '#client';
import { Section } from '../parts/basics';
import { keep, kept } from '../state/kept';
import { t } from '../state/language';

const RECENT = 'recent processes';
const SHOWN = 4;
const recent = (): readonly string[] => kept<readonly string[]>(RECENT, 'device') ?? [];

/** The process comes first the next time. */
export const noteProcess = (processType: string): void =>
  keep(RECENT, [processType, ...recent().filter((one) => one !== processType)].slice(0, SHOWN), 'device');

/** In the order in which goods pass them. */
const KINDS: readonly string[] = [
  'creation',
  'transformation',
  'aggregation',
  'transfer',
  'disaggregation',
  'association',
  'observation',
  'disposal',
];

/** Every process as something to tap; those that were used last come first. */
export function ProcessList({
  maps,
  onChoose,
}: {
  readonly maps: readonly ProcessMapView[];
  readonly onChoose: (processType: string) => void;
}) {
  const all = maps.flatMap(({ processes }) => processes);
  const inOrder = ({ processes }: ProcessMapView): ProcessMapView['processes'] =>
    processes.toSorted((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
  const used = recent().flatMap((type) => all.filter(({ processType }) => processType === type));
  const groups = [
    ...(used.length > 0 ? [{ name: 'recent', title: t('Used last'), processes: used }] : []),
    ...maps.map((map) => ({ name: map.name, title: map.title, processes: inOrder(map) })),
  ];
  return (
    <>
      {groups.map(({ name, title, processes }) => (
        <Section key={name} title={title}>
          <Tiles of={processes} onChoose={onChoose} />
        </Section>
      ))}
    </>
  );
}

export const Tiles = ({ of, onChoose }: { readonly of: ProcessMapView['processes']; readonly onChoose: (processType: string) => void }) => (
  <ul class="tiles">
    {of.map(({ processType, label }) => (
      <li key={processType}>
        <button type="button" onClick={() => onChoose(processType)}>
          {label}
        </button>
      </li>
    ))}
  </ul>
);
