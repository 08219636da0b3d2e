import { describe, expect, it } from '@jest/globals';
import { operationName } from './operation-name.js';

const paths = new Set(['/api/v1/nfts', '/api/v1/nfts/{tokenId}', '/api/v1/webhooks/{id}/deliveries/{deliveryId}/resend']);

describe('the name of an operation', () => {
  it.each([
    ['get', '/api/v1/nfts', 'listNfts'],
    ['get', '/api/v1/nfts/{tokenId}', 'getNft'],
    ['get', '/api/v1/nfts/by-tlc/{tlc}', 'getNftByTlc'],
    ['get', '/api/v1/nfts/{tokenId}/recall-impact', 'getNftRecallImpact'],
    ['get', '/api/v1/webhooks/{id}/deliveries', 'listWebhookDeliveries'],
    ['get', '/.well-known/jwks.json', 'getJwks'],
    ['post', '/api/v1/organisations/{id}/sites', 'createOrganisationSite'],
    ['post', '/api/v1/events/prepare', 'prepareEvent'],
    ['post', '/api/v1/events/prepare/batch', 'prepareEventBatch'],
    ['post', '/api/v1/nfts/{tokenId}/recall/lift/prepare', 'prepareNftRecallLift'],
    ['post', '/api/v1/webhooks/{id}/rotate-secret', 'rotateWebhookSecret'],
    ['post', '/api/v1/webhooks/{id}/deliveries/{deliveryId}/resend', 'resendWebhookDelivery'],
    ['post', '/api/v2/auth/select-tenant', 'selectTenant'],
    ['patch', '/api/v2/members/{id}', 'changeMember'],
    ['delete', '/api/v1/api-keys/{id}', 'removeApiKey'],
  ])('of %s %s is %s', (method, path, name) => {
    expect(operationName(method, path, paths)).toBe(name);
  });
});
