import { type ScheduleRule, moveToNow } from '#persistence';

export const reportingSchedules: readonly ScheduleRule[] = [
  {
    table: 'reporting.alert_evaluation',
    sql: moveToNow({
      table: 'reporting.alert_evaluation',
      where: 'next_at > $2 and coalesce(evaluated_at, next_at) > $2',
      set: 'next_at = $1',
    }),
  },
  {
    table: 'reporting.pointer_cursor',
    sql: moveToNow({
      table: 'reporting.pointer_cursor',
      where: 'next_at > $2 and greatest(lap_started_at, lap_ended_at) > $2',
      set: 'next_at = $1, lap_started_at = least(lap_started_at, $1), lap_ended_at = least(lap_ended_at, $1)',
    }),
  },
];
