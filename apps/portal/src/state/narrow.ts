import { useEffect, useState } from 'preact/hooks';

/** As styles.css has it for phones. */
const NARROW = '(max-width: 44rem)';

/** Whether the page is as narrow as on a phone; follows a phone that is held the other way. */
export function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const media = matchMedia(NARROW);
    const follow = (): void => setNarrow(media.matches);
    media.addEventListener('change', follow);
    return () => media.removeEventListener('change', follow);
  }, []);
  return narrow;
}
