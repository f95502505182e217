export interface Scored {
  id: string;
  score: number;
}

/** Keeps the best `limit` items, in a heap with the worst at its root. */
export class TopK {
  private readonly heap: Scored[] = [];

  constructor(private readonly limit: number) {}

  /** Cheaper than an offer: most candidates of a search are worse than all that are kept. */
  wants(score: number): boolean {
    return this.heap.length < this.limit || score >= this.heap[0]!.score;
  }

  offer(candidate: Scored): void {
    const { heap } = this;
    if (heap.length < this.limit) {
      heap.push(candidate);
      this.rise(heap.length - 1);
    } else if (heap[0] !== undefined && isWorse(heap[0], candidate)) {
      heap[0] = candidate;
      this.sink(0);
    }
  }

  bestFirst(): Scored[] {
    return this.heap.toSorted((a, b) => (isWorse(a, b) ? 1 : -1));
  }

  private rise(index: number): void {
    let child = index;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (!this.isWorseAt(child, parent)) return;
      this.swap(child, parent);
      child = parent;
    }
  }

  private sink(index: number): void {
    let parent = index;
    for (;;) {
      let worst = parent;
      for (const child of [2 * parent + 1, 2 * parent + 2]) {
        if (child < this.heap.length && this.isWorseAt(child, worst)) worst = child;
      }
      if (worst === parent) return;
      this.swap(worst, parent);
      parent = worst;
    }
  }

  private isWorseAt(a: number, b: number): boolean {
    const [first, second] = [this.heap[a], this.heap[b]];
    return first !== undefined && second !== undefined && isWorse(first, second);
  }

  private swap(a: number, b: number): void {
    const [first, second] = [this.heap[a], this.heap[b]];
    if (first === undefined || second === undefined) return;
    this.heap[a] = second;
    this.heap[b] = first;
  }
}

/** Compares by score, then by id, so that equal scores always have the same order. */
function isWorse(a: Scored, b: Scored): boolean {
  return a.score === b.score ? a.id > b.id : a.score < b.score;
}
