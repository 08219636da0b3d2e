import type { LotPageView, OrganisationPageView, ProcessMapView } from '#client';
import { type Loaded, useLoad } from '../../state/load';
import { api } from '../../state/session';

export interface Progress {
  /** The first organisation; null before there is one. */
  readonly organisation: { readonly id: string; readonly name: string; readonly sites: readonly { readonly name: string }[] } | null;
  readonly maps: readonly ProcessMapView[];
  readonly members: number;
  readonly lots: number;
  readonly firstLot: { readonly tokenId: number; readonly tlc: string } | null;
}

/** How far a tenant is: read from what it has, so that another browser and another person go on at the same place. */
export function useProgress(): Loaded<Progress> {
  return useLoad('onboarding', async () => {
    const [organisations, maps, members, lots] = await Promise.all([
      api().get<OrganisationPageView>('/api/v1/organisations?limit=1'),
      api().get<{ readonly data: readonly ProcessMapView[] }>('/api/v1/process-maps?limit=100'),
      api().call('GET /api/v2/members', { query: { limit: 1 } }),
      api().get<LotPageView>('/api/v1/nfts?limit=1'),
    ]);
    const first = organisations.data[0];
    const organisation = first ? await api().call('GET /api/v1/organisations/{id}', { path: { id: first.id } }) : null;
    return { organisation, maps: maps.data, members: members.total, lots: lots.total, firstLot: lots.data[0] ?? null };
  });
}

/** Which of the five parts are done, in their order. Nobody has to invite others. */
export const doneOf = ({ organisation, maps, members, lots }: Progress): readonly boolean[] => [
  organisation !== null,
  maps.length > 0,
  members > 1,
  (organisation?.sites.length ?? 0) > 0,
  lots > 0,
];
