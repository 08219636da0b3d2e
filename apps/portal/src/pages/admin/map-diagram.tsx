import { t } from '../../state/language';
import { type MapDraft, type ProcessDraft, inFlow } from './map-draft';

/** The processes in their order, each with what goes in and what comes out; one is chosen to be edited. */
export function MapDiagram({
  of: { processes, assetTypes },
  chosen,
  onChoose,
}: {
  readonly of: MapDraft;
  readonly chosen: string;
  readonly onChoose: (processType: string) => void;
}) {
  const called = (type: string): string => (type === '*' ? t('anything') : (assetTypes[type]?.name ?? type));
  return (
    <ol class="map-diagram" aria-label={t('Processes of the map')}>
      {inFlow(processes).map(([processType, process]) => (
        <li key={processType}>
          <Goods of={process.inputs.max === 0 ? [] : process.inputs.assetTypes.map(called)} none={t('nothing')} />
          <span aria-hidden="true">→</span>
          <button type="button" aria-pressed={chosen === processType} onClick={() => onChoose(processType)}>
            {process.label}
          </button>
          <span aria-hidden="true">→</span>
          <Goods of={outOf(process).map(called)} none={t('nothing new')} />
        </li>
      ))}
    </ol>
  );
}

const outOf = ({ outputs: { max, assetType, coProducts = [] } }: ProcessDraft): readonly string[] =>
  max === 0 ? [] : [...(assetType === undefined ? [] : [assetType]), ...coProducts];

const Goods = ({ of, none }: { readonly of: readonly string[]; readonly none: string }) => (
  <span class="goods">{of.length === 0 ? <span class="hint">{none}</span> : of.join(', ')}</span>
);
