import type { FastifyInstance } from 'fastify';
import { malformedRequest } from '../problems/refusals.js';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * `https://host` of the service as its clients see it: PUBLIC_URL, or the address of the request where that is not set.
     * @throws DomainError 400 `malformed_request` where the Host header is not the name of a host
     */
    readonly publicOrigin: string;
  }
}

/** What a route needs of a request to make links. */
export interface OriginRequest {
  readonly publicOrigin: string;
}

/** Links and codes contain it, so it must be a name. */
const HOST = /^[\w.-]{1,253}(:\d{1,5})?$|^\[[0-9a-f:.]{2,45}\](:\d{1,5})?$/i;

/** @param publicUrl without it, links follow the Host header, which any client can choose */
export function addPublicOrigin(fastify: FastifyInstance, publicUrl: string | null): void {
  fastify.decorateRequest('publicOrigin', {
    getter(): string {
      if (publicUrl !== null) return publicUrl;
      if (HOST.test(this.host)) return `${this.protocol}://${this.host}`;
      throw malformedRequest([{ pointer: '/host', code: 'host_malformed', message: 'The Host header is not the name of a host.' }]);
    },
  });
}
