export interface Scored {
  id: string;
  score: number;
}

/** Keeps the best `limit` items, best first. A search wants a hundred at most: to move them costs less than a heap. */
export class TopK {
  private readonly best: Scored[] = [];

  constructor(private readonly limit: number) {}

  /** Cheaper than an offer: most candidates of a search are worse than all that are kept. */
  wants(score: number): boolean {
    return this.best.length < this.limit || score >= this.best.at(-1)!.score;
  }

  offer(candidate: Scored): void {
    let place = this.best.length;
    while (place > 0 && isWorse(this.best[place - 1]!, candidate)) place -= 1;
    this.best.splice(place, 0, candidate);
    if (this.best.length > this.limit) this.best.pop();
  }

  bestFirst(): Scored[] {
    return [...this.best];
  }
}

/** Compares by score, then by id, so that equal scores always have the same order. */
function isWorse(a: Scored, b: Scored): boolean {
  return a.score === b.score ? a.id > b.id : a.score < b.score;
}
