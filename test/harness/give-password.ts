import { TraceabilityClient } from '#client';
import { OPERATOR, RequestPasswordReset } from '#identity';
import type { World } from './world.js';

/** What somebody who was invited does, by a link from the operator instead of the mailbox. */
export async function givePassword(world: World, email: string, password: string): Promise<void> {
  const link = await world.service.app.get(RequestPasswordReset, { strict: false }).link(email, OPERATOR);
  await new TraceabilityClient(world.baseUrl).post('/api/v2/auth/password/reset', { token: link!.token, password });
}
