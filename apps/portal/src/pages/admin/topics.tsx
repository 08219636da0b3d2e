import { Show } from '../../parts/basics';
import { Checks } from '../../parts/inputs';
import { useLoad } from '../../state/load';
import { api } from '../../state/session';
import { t } from '../../state/language';

/** Everything, or some of the topics that the service has. Families (`custody.*`) that a program chose stay as they are. */
export function Topics({
  chosen,
  onChange,
}: {
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}) {
  const topics = useLoad('topics', () => api().call('GET /api/v1/webhooks/topics'));
  const all = chosen.includes('*');
  return (
    <Show what={topics}>
      {(known) => {
        const others = chosen.filter((one) => one !== '*' && !known.some(({ topic }) => topic === one));
        return (
          <Checks
            label={t('Events')}
            chosen={chosen}
            onChange={(next) => onChange(next.includes('*') && !all ? ['*'] : next)}
            of={[
              ['*', t('Everything'), t('Includes events added later.')],
              ...(all ? [] : known.map(({ topic, description }) => [topic, topic, description] as const)),
              ...others.map((family) => [family, family] as const),
            ]}
          />
        );
      }}
    </Show>
  );
}
