import { type OpenAPIObject } from '@nestjs/swagger';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Which methods a path answers to, by the API document: what a 405 lists in `Allow`. */
export function allowedMethods(document: OpenAPIObject): (path: string) => readonly string[] {
  const routes = Object.entries(document.paths).map(([template, item]) => ({
    segments: segmentsOf(template),
    methods: METHODS.filter((method) => item[method] !== undefined).map((method) => method.toUpperCase()),
  }));
  return (path) => {
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
