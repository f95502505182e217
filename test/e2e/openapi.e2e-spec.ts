import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type INestApplication } from '@nestjs/common';
import { type OpenAPIObject } from '@nestjs/swagger';
import { Validator } from '@seriousme/openapi-schema-validator';
import { buildOpenApiDocument } from '../../apps/server/src/http/openapi.js';
import { type TestApi, startTestApi } from '../support/api-app.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

let api: TestApi;
let document: OpenAPIObject;

beforeAll(async () => {
  api = await startTestApi();
  document = buildOpenApiDocument(api.app);
});
afterAll(() => api.stop());

function operations() {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ path, method, operation, name: `${method.toUpperCase()} ${path}` }] : [];
    }),
  );
}

/** The routes that Express serves, without those of the document itself. */
function registeredRoutes(app: INestApplication): string[] {
  interface Layer {
    route?: { path: string | string[]; methods: Record<string, boolean> };
  }
  const { router } = app.getHttpAdapter().getInstance() as { router: { stack: Layer[] } };
  return router.stack.flatMap(({ route }) =>
    route
      ? [route.path].flat().flatMap((path) =>
          Object.keys(route.methods)
            .filter((method) => !path.startsWith('/docs') && method !== '_all')
            .map((method) => `${method.toUpperCase()} ${path.replace(/:(\w+)/g, '{$1}')}`),
        )
      : [],
  );
}

describe('the API document', () => {
  it('is valid OpenAPI', async () => {
    const asServed = JSON.parse(JSON.stringify(document)) as Record<string, unknown>;
    const result = await new Validator().validate(asServed);
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
  });

  it('describes each group of routes', () => {
    const described = new Set((document.tags ?? []).map(({ name }) => name));
    const used = new Set(operations().flatMap(({ operation }) => operation.tags ?? []));
    expect([...used].filter((tag) => !described.has(tag))).toEqual([]);
  });

  it('holds every route of the service, and no other', () => {
    // The protocol of agents, llms.txt and the redirects of the sign-in are described by their own standards.
    const isElsewhere = (name: string) => / \/(mcp|llms\.txt|auth\/(sign-in|callback))$/.test(name);
    const registered = registeredRoutes(api.app).filter((name) => !isElsewhere(name));
    expect(registered.length).toBeGreaterThan(20);
    expect(
      operations()
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...new Set(registered)].sort());
  });

  it('gives each operation a unique name', () => {
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain('createRepository');
  });

  it('describes each operation: tag, summary, success and problems', () => {
    for (const { name, operation } of operations()) {
      expect([name, operation.tags?.length, typeof operation.summary]).toEqual([name, 1, 'string']);
      const statuses = Object.keys(operation.responses);
      expect([name, statuses.some((status) => status.startsWith('2'))]).toEqual([name, true]);
      for (const status of statuses.filter((each) => Number(each) >= 400)) {
        expect([name, status, operation.responses[status]]).toEqual([
          name,
          status,
          expect.objectContaining({ content: { 'application/problem+json': expect.anything() } }),
        ]);
      }
    }
  });

  it('requires a token under /api only', () => {
    for (const { name, path, operation } of operations()) {
      const isProtected = path.startsWith('/api/');
      expect([name, operation.security]).toEqual([name, isProtected ? [{ bearer: [] }] : undefined]);
      // Metrics have a token of their own, and refuse proxies.
      expect([name, '401' in operation.responses && '403' in operation.responses]).toEqual([
        name,
        isProtected || path === '/metrics',
      ]);
    }
  });

  it('describes every field of every schema', () => {
    for (const [schemaName, schema] of Object.entries(document.components?.schemas ?? {})) {
      if (!('properties' in schema)) continue;
      for (const [field, property] of Object.entries(schema.properties ?? {})) {
        const isDescribed = 'description' in property || '$ref' in property || field === 'items';
        expect([schemaName, field, isDescribed]).toEqual([schemaName, field, true]);
      }
    }
  });

  it('is the same when it is generated twice', () => {
    expect(buildOpenApiDocument(api.app)).toEqual(document);
  });
});
