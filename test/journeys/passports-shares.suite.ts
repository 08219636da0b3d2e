import { HeavyWork, PublicWork } from '#http';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '../harness/eventually.js';
import { JACKET, LINK, ask, journey, shown } from './passports-journey.js';
import type { Json } from './rice-trade.js';

const here = new AbortController().signal;
let hosts = 0;
/** Its links begin with another host, so it is made for this request. */
const made = async (path: string): Promise<number> => {
  const answer = await ask(path, { accept: 'application/json', 'x-forwarded-host': `reader-${++hosts}.example` });
  await answer.arrayBuffer();
  return answer.status;
};

/** After the passports are issued. */
export function passportSharesSuite(): void {
  describe('the slots', () => {
    it('of the public and of members are apart: a passport is shown while members wait, and the other way round', async () => {
      const { app } = journey.world.service;
      const [heavy, publicWork] = [app.get(HeavyWork, { strict: false }), app.get(PublicWork, { strict: false })];
      const { tenantUuid: rice } = await journey.trade.api.get<Json>('/api/v2/auth/me');
      const preview = `/api/v1/nfts/${await journey.trade.tokenOf('RP262641')}/passport`;
      const busy: (() => void)[] = [];
      for (let i = 0; i < heavy.slots; i++) busy.push(await heavy.enter({ tenant: `member-${i}`, principal: 'one' }, here));
      const [{ passportId }, jacket] = await Promise.all([shown(LINK), shown(JACKET)]);
      for (const path of [`/p/${passportId}`, `/p/${passportId}/label.pdf`, `/p/${passportId}/bundle`]) expect(await made(path)).toBe(200);
      busy.splice(0).forEach((leave) => leave());
      // All that the passports of one tenant may have.
      for (let i = 0; i < Math.max(1, Math.floor(publicWork.slots / 2)); i++)
        busy.push(await publicWork.enter({ tenant: rice as string, ip: `203.0.113.${i}` }, here));
      const waiting = [`/p/${passportId}`, `/p/${passportId}/label.svg`, `/p/${passportId}/bundle`].map(made);
      await eventually('readers that wait', async () => publicWork.load.waiting === 3);
      expect(await journey.trade.api.get(preview)).toMatchObject({ passportStatus: 'active' });
      expect(await made(`/p/${jacket['passportId']}`)).toBe(200);
      busy.splice(0).forEach((leave) => leave());
      expect(await Promise.all(waiting)).toEqual([200, 200, 200]);
      expect([heavy.load, publicWork.load]).toEqual([
        { running: 0, waiting: 0 },
        { running: 0, waiting: 0 },
      ]);
    });
  });
}
