import { online } from '../state/line';
import { waiting } from '../waiting/waiting';
import { Link } from './basics';
import { t } from '../state/language';

/** On every page, while the service is out of reach or something waits for it. */
export function WaitingNotice() {
  const count = waiting().length;
  if (online.value && count === 0) return null;
  return (
    <div class="offline" role="status">
      {!online.value && <span>{t('The service does not answer. You can go on recording.')} </span>}
      {count > 0 && <Link to="/waiting">{t('Waiting to be sent: {count}', { count })}</Link>}
    </div>
  );
}
