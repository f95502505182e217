import { type OpenAPIObject } from '@nestjs/swagger';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** What is served beside the API and describes or shows it, so that its document does not name it. */
const PAGES = /^(|\/docs|\/docs-json|\/assets\/[\w.-]+)$/;

/** Which methods a path answers to: what a 405 lists in `Allow`. Empty where there is nothing. */
export function allowedMethods(document: OpenAPIObject): (method: string, path: string) => readonly string[] {
  const routes = Object.entries(document.paths).map(([template, item]) => ({
    segments: segmentsOf(template),
    methods: METHODS.filter((method) => item[method] !== undefined).map((method) => method.toUpperCase()),
  }));
  return (method, path) => {
    // Where one of these is not there, it is not there by any method.
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
