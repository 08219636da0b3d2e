import { describe, expect, it } from '@jest/globals';
import { statementTitle } from './statement-spans.js';

describe('the title of a statement', () => {
  it.each([
    ['select * from traceability.lot where tlc = $1', 'select traceability.lot'],
    ['with taken as (select 1 from persistence.outbox for update) update persistence.outbox o set body = $1', 'update persistence.outbox'],
    ['INSERT INTO "transactions"."tracked"("id") VALUES ($1)', 'insert transactions.tracked'],
    ['delete from webhooks.message m where m.id = $1', 'delete webhooks.message'],
    ["start transaction; set local role trace_tenant; set local app.tenant_id = '0'", 'start transaction'],
    ['COMMIT', 'commit'],
    ['select pg_try_advisory_lock($1)', 'select'],
  ])('%s', (text, title) => {
    expect(statementTitle(text).title).toBe(title);
  });

  it('holds no value', () => {
    expect(statementTitle(`select * from identity.user where email = 'anna@example.org'`)).toEqual({
      title: 'select identity.user',
      operation: 'select',
      table: 'identity.user',
    });
  });
});
