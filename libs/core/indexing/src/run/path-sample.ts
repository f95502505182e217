import { SAMPLE_PATHS, type PathSample } from '@core/domain';

/** Counts each path once and keeps the first of them. */
export class PathCounter {
  private readonly paths = new Set<string>();

  add(path: string): void {
    this.paths.add(path);
  }

  sample(): PathSample {
    return { files: this.paths.size, first_paths: [...this.paths].slice(0, SAMPLE_PATHS) };
  }
}

export function sampleOf(paths: Iterable<string>): PathSample {
  const counter = new PathCounter();
  for (const path of paths) counter.add(path);
  return counter.sample();
}
