import { Checks, Select, Text } from '../../parts/inputs';
import { phrase, t } from '../../state/language';
import type { MapDraft, ProcessDraft } from './map-draft';

const CONSUMPTIONS = [
  ['partial', phrase('A part, as the event says')],
  ['full', phrase('All of it')],
  ['none', phrase('Nothing: the lot stays as it is')],
  ['contained', phrase('It is put into, or taken out of, a container')],
  ['retired', phrase('It leaves the chain')],
] as const;

interface Goods {
  readonly of: ProcessDraft;
  readonly assetTypes: MapDraft['assetTypes'];
  readonly onChange: (change: Partial<ProcessDraft>) => void;
}

/** What goes into a process, and what comes out. */
export function MapGoods({ of: process, assetTypes, onChange }: Goods) {
  return (
    <>
      <h3>{t('What goes in')}</h3>
      <Inputs of={process} assetTypes={assetTypes} onChange={onChange} />
      <h3>{t('What comes out')}</h3>
      <Outputs of={process} assetTypes={assetTypes} onChange={onChange} />
    </>
  );
}

const namesOf = (assetTypes: Goods['assetTypes']) => Object.entries(assetTypes).map(([key, { name }]) => [key, name] as const);

/** @returns null where it is no whole number */
const countOf = (text: string): number | null => (/^\d{1,6}$/.test(text.trim()) ? Number(text) : null);

function Inputs({ of: { inputs }, assetTypes, onChange }: Goods) {
  const set = (change: Partial<ProcessDraft['inputs']>): void => onChange({ inputs: { ...inputs, ...change } });
  return (
    <div class="stack">
      <Checks
        label={t('Products that go in')}
        of={[['*', t('Anything')], ...namesOf(assetTypes)]}
        chosen={inputs.assetTypes}
        onChange={(chosen) =>
          set({ assetTypes: chosen.includes('*') && !inputs.assetTypes.includes('*') ? ['*'] : without(chosen, inputs) })
        }
      />
      <div class="fields">
        <Text label={t('Lots, at least')} value={String(inputs.min)} onChange={(text) => set({ min: countOf(text) ?? inputs.min })} />
        <Text
          label={t('Lots, at most')}
          hint={t('Empty: as many as there are. 0: none goes in.')}
          value={inputs.max === null ? '' : String(inputs.max)}
          onChange={(text) => set({ max: text.trim() === '' ? null : (countOf(text) ?? inputs.max) })}
        />
        <Select
          label={t('What is used of a lot')}
          of={CONSUMPTIONS}
          value={inputs.consumption}
          onChange={(consumption) => set({ consumption })}
        />
      </div>
    </div>
  );
}

/** A product that is chosen after “anything” takes its place. */
const without = (chosen: readonly string[], before: ProcessDraft['inputs']): readonly string[] =>
  before.assetTypes.includes('*') && chosen.length > 1 ? chosen.filter((one) => one !== '*') : chosen;

function Outputs({ of: { outputs }, assetTypes, onChange }: Goods) {
  const { assetType, coProducts = [] } = outputs;
  const main = (next: string): void => {
    const { assetType: _before, ...rest } = outputs;
    const others = coProducts.filter((one) => one !== next);
    onChange({
      outputs: next === '' ? { min: 0, max: 0 } : { ...rest, ...sized(others), assetType: next },
    });
  };
  return (
    <div class="stack">
      <div class="fields">
        <Select
          label={t('Product that it makes')}
          none={t('Nothing new')}
          of={namesOf(assetTypes)}
          value={assetType ?? ''}
          onChange={main}
        />
      </div>
      {assetType !== undefined && (
        <Checks
          label={t('By-products')}
          of={namesOf(assetTypes).filter(([key]) => key !== assetType)}
          chosen={coProducts}
          onChange={(chosen) => onChange({ outputs: { ...outputs, ...sized(chosen) } })}
        />
      )}
    </div>
  );
}

/** One lot of the product, and one of each by-product at most. */
const sized = (coProducts: readonly string[]) => ({ min: 1, max: 1 + coProducts.length, coProducts });
