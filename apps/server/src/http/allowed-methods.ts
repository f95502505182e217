import { type OpenAPIObject } from '@nestjs/swagger';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Paths of the dashboard and of the API document. The document itself does not list them. */
const PAGES = /^(|\/docs|\/docs-json|\/assets\/[\w.-]+)$/;

/** The methods that a path supports, for the `Allow` header of a 405. Empty for an unknown path. */
export function allowedMethods(document: OpenAPIObject): (method: string, path: string) => readonly string[] {
  const routes = Object.entries(document.paths).map(([template, item]) => ({
    segments: segmentsOf(template),
    methods: METHODS.filter((method) => item[method] !== undefined).map((method) => method.toUpperCase()),
  }));
  return (method, path) => {
    // A GET that gets here found no page: the answer is a 404, so it must not return any method.
    if (method !== 'GET' && method !== 'HEAD' && PAGES.test(path.replace(/\/$/, ''))) return ['GET'];
    const asked = segmentsOf(path);
    return routes.find((route) => isMatch(route.segments, asked))?.methods ?? [];
  };
}

function segmentsOf(path: string): string[] {
  return path.replace(/\/$/, '').split('/');
}

function isMatch(template: readonly string[], asked: readonly string[]): boolean {
  return (
    template.length === asked.length &&
    template.every((segment, index) => segment.startsWith('{') || segment === asked[index])
  );
}
