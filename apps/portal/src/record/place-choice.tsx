import { useState } from 'preact/hooks';
import { Problem } from '../parts/problem';
import { writeNumber } from '../state/numbers.js';
import { type Position, currentPosition, nearestOf } from '../state/position.js';
import { useRun } from '../state/run';
import type { Filled } from './filled.js';
import type { KnownPlace } from './form-state.js';
import { t } from '../state/language';

/** As the two fields of a position take it. */
export const positionFilled = (here: Position): Filled => here.map((degrees) => writeNumber(degrees));

/** A known place is where somebody is when it is no farther. */
const SAME_PLACE_M = 2_000;

/** Places to tap instead of typing them: those that are known, and the nearest of them. */
export function PlaceChoice({
  places,
  label,
  onPlace,
  onPosition,
}: {
  readonly places: readonly KnownPlace[];
  readonly label: string;
  readonly onPlace: (place: KnownPlace) => void;
  readonly onPosition: (here: Position) => void;
}) {
  const { busy, error, run } = useRun();
  const [found, setFound] = useState('');
  const locate = (): Promise<boolean> =>
    run(async () => {
      const here = await currentPosition();
      const nearest = nearestOf(places, here);
      if (nearest && nearest.metres <= SAME_PLACE_M) {
        setFound(t('{place}, {metres} m from here', { place: nearest.place.name, metres: String(Math.round(nearest.metres)) }));
        onPlace(nearest.place);
      } else {
        setFound(t('No known place is near. Your position is filled in.'));
        onPosition(here);
      }
    });
  return (
    <div class="wide">
      <div class="chips" role="group" aria-label={t('{name}: known places', { name: label })}>
        {places.map((place) => (
          <button key={place.name} type="button" onClick={() => onPlace(place)}>
            {place.name}
          </button>
        ))}
        {'geolocation' in navigator && (
          <button type="button" disabled={busy} onClick={() => void locate()}>
            {t(busy ? 'Locating …' : 'Use my position')}
          </button>
        )}
      </div>
      <p class="hint" role="status">
        {found}
      </p>
      <Problem of={error} />
    </div>
  );
}
