import { describe, expect, it } from '@jest/globals';
import { describeEndpoint, endpointFromUrl } from './endpoint.js';

describe('a database URL', () => {
  it('names host, port, login and database', () => {
    expect(endpointFromUrl('postgres://trace:p%40ss@db.example:5433/lots')).toEqual({
      host: 'db.example',
      port: 5433,
      user: 'trace',
      password: 'p@ss',
      database: 'lots',
    });
  });

  it('may name the folder of a Unix socket', () => {
    expect(endpointFromUrl('postgres://trace@/lots?host=/run/postgresql')).toMatchObject({
      host: '/run/postgresql',
      port: 5432,
      database: 'lots',
    });
  });

  it('keeps what it says about TLS', () => {
    expect(endpointFromUrl('postgres://trace@db.example/lots?sslmode=no-verify').ssl).toEqual({ rejectUnauthorized: false });
    expect(endpointFromUrl('postgres://trace@db.example/lots').ssl).toBeUndefined();
  });

  it('is shown without its password', () => {
    expect(describeEndpoint(endpointFromUrl('postgres://trace:secret@db.example/lots'))).toBe('trace@db.example:5432/lots');
  });
});
