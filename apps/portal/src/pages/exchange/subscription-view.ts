import { phrase, t } from '../../state/language';
import { api, me } from '../../state/session';

/** As the service answers it. */
export interface Subscription {
  readonly subscriptionID: string;
  readonly webhookId: string;
  readonly stream?: true;
  readonly schedule?: Readonly<Record<string, string>>;
  readonly nextDueAt?: string;
  readonly reportIfEmpty: boolean;
  readonly createdAt: string;
  readonly sentAt: string | null;
}

export const subscriptionsOf = (query: string): string => `/epcis/${me.value!.tid}/queries/${encodeURIComponent(query)}/subscriptions`;

/** The URL of each webhook; one that was deleted meanwhile has none. */
export async function addressesOf(subscriptions: readonly Subscription[]): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(
    subscriptions.map(({ webhookId: id }) =>
      api()
        .call('GET /api/v1/webhooks/{id}', { path: { id } })
        .then(({ url }) => [[id, url] as const])
        .catch(() => []),
    ),
  );
  return new Map(found.flat());
}

const DAYS = [
  phrase('Mondays'),
  phrase('Tuesdays'),
  phrase('Wednesdays'),
  phrase('Thursdays'),
  phrase('Fridays'),
  phrase('Saturdays'),
  phrase('Sundays'),
] as const;

/** When it sends, in words where it is one of the simple schedules; else the schedule itself. */
export function sayWhen({ schedule }: Subscription): string {
  if (!schedule) return t('At once');
  const { minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = '' } = schedule;
  const isSimple = [minute, hour || '0', dayOfWeek || '1'].every((field) => isOne(field) || isAll(field));
  if (!isSimple || !isOne(minute) || !isAll(dayOfMonth) || !isAll(month)) return JSON.stringify(schedule);
  if (isAll(hour)) return isAll(dayOfWeek) ? t('Every hour') : JSON.stringify(schedule);
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')} UTC`;
  return isAll(dayOfWeek) ? t('Every day, {time}', { time }) : t('{day}, {time}', { day: t(DAYS[Number(dayOfWeek) - 1]!), time });
}

const isOne = (field: string): boolean => /^\d+$/.test(field);
/** Every value that there is: the service writes them all. */
const isAll = (field: string): boolean => field === '' || field.split(',').length > 6;
