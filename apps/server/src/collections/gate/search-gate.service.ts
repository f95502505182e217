import { Injectable } from '@nestjs/common';
import pMap from 'p-map';
import { SearchGates } from '@adapters/postgres';
import {
  Clock,
  Embedders,
  type GateQuestion,
  type GateVerdict,
  GenerationStore,
  type IndexGeneration,
  Logger,
  RepotideError,
  type SearchGate,
} from '@core/domain';
import { metricsOf, rankOf } from '@core/search';
import { ReadableRepositories } from '../../reading/readable-repositories.js';
import { mergeNeighbours } from '../../search/answers/merge-hits.js';
import { SearchService } from '../../search/search.service.js';

/** Deep enough for nDCG@10 after neighbouring chunks of a file have become one hit. */
const DEPTH = 50;
const QUESTIONS_AT_ONCE = 4;
/** A refused index is judged again so much later, because its files may have changed. */
const JUDGE_AGAIN_MS = 600_000;

type Judgement = Omit<GateVerdict, 'judgedAt'>;

/** Compares how a rebuilt index and the one in use answer the questions of the collection's gate. */
@Injectable()
export class SearchGateService {
  constructor(
    private readonly gates: SearchGates,
    private readonly generations: GenerationStore,
    private readonly embedders: Embedders,
    private readonly searches: SearchService,
    private readonly readable: ReadableRepositories,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** For the chore: judges a complete rebuild that has no verdict, or was refused a while ago. */
  async judgeIfDue(building: IndexGeneration, signal: AbortSignal): Promise<void> {
    const gate = await this.gates.find(building.collectionName);
    // A pod of another configuration may reach the model.
    if (!gate || !this.embedders.find(building)) return;
    const verdict = await this.gates.verdictOf(building.id);
    const isDue = !verdict || (!verdict.isPassed && this.ageOf(verdict) >= JUDGE_AGAIN_MS);
    if (!isDue || !(await this.generations.progressOf(building)).isComplete) return;
    const found = await this.judge(gate, building, signal);
    const { isPassed, questions, activeNdcg, buildingNdcg } = found;
    const { collectionName: collection, id: generation_id } = building;
    const figures = { questions, active_ndcg: activeNdcg, building_ndcg: buildingNdcg };
    if (isPassed)
      this.logger.info({ collection, generation_id, ...figures }, 'rebuilt index passed its gate');
    else
      this.logger.warn({ collection, generation_id, ...figures }, 'rebuilt index is kept back by its gate');
  }

  /** For a switch by request. @throws conflict `search_quality_lower` with the figures; the errors of a search. */
  async demandPass(building: IndexGeneration, signal: AbortSignal): Promise<void> {
    const gate = await this.gates.find(building.collectionName);
    if (!gate) return;
    const verdict = await this.judge(gate, building, signal);
    if (!verdict.isPassed) throw worse(gate, verdict);
  }

  private async judge(
    { id: gateId, questions, maxLoss }: SearchGate,
    building: IndexGeneration,
    signal: AbortSignal,
  ): Promise<Judgement> {
    const all = await this.generations.list([building.collectionName]);
    const active = all.find(({ status }) => status === 'active');
    const activeNdcg = active ? await this.qualityOf(questions, active, signal) : 0;
    const buildingNdcg = await this.qualityOf(questions, building, signal);
    const verdict = {
      generationId: building.id,
      gateId,
      // Both figures are rounded to thousandths.
      isPassed: activeNdcg - buildingNdcg <= maxLoss + 1e-9,
      questions: questions.length,
      activeNdcg,
      buildingNdcg,
    };
    await this.gates.record(verdict);
    return verdict;
  }

  private async qualityOf(
    questions: readonly GateQuestion[],
    generation: IndexGeneration,
    signal: AbortSignal,
  ): Promise<number> {
    const ranks = await pMap(questions, (question) => this.rankIn(generation, question, signal), {
      concurrency: QUESTIONS_AT_ONCE,
    });
    return metricsOf(ranks).ndcg10;
  }

  private async rankIn(
    generation: IndexGeneration,
    { question: query, expected, repository }: GateQuestion,
    signal: AbortSignal,
  ): Promise<number | null> {
    const repositoryIds = repository === undefined ? undefined : await this.idsOf(repository);
    const filter = repositoryIds && { repositoryIds };
    const { hits } = await this.searches.search({ query, generation, limit: DEPTH, ...filter }, signal);
    const places = mergeNeighbours(hits).map(({ best: { payload } }) => ({
      path: payload.path,
      startLine: payload.start_line,
      endLine: payload.end_line,
    }));
    return rankOf(expected, places);
  }

  /** None of a repository that was removed since: its questions count against both indexes alike. */
  private async idsOf(name: string): Promise<string[]> {
    try {
      return (await this.readable.allNamed(name, null)).map(({ id }) => id);
    } catch (error) {
      if (error instanceof RepotideError && error.kind === 'not_found') return [];
      throw error;
    }
  }

  private ageOf({ judgedAt }: GateVerdict): number {
    return this.clock.now().getTime() - judgedAt.getTime();
  }
}

function worse({ collectionName, maxLoss }: SearchGate, verdict: Judgement): RepotideError {
  const { questions, activeNdcg, buildingNdcg } = verdict;
  const loss = Number((activeNdcg - buildingNdcg).toFixed(3));
  const message =
    `The rebuilt index of collection "${collectionName}" answers the ${questions} questions of its gate worse than the one in use: ` +
    `nDCG@10 is ${buildingNdcg} instead of ${activeNdcg}, a loss of ${loss}; at most ${maxLoss} is allowed. ` +
    'Repeat with {"force": true} to activate it anyway, or change the gate.';
  return new RepotideError('conflict', 'search_quality_lower', message, {
    details: { questions, active_ndcg10: activeNdcg, building_ndcg10: buildingNdcg, max_loss: maxLoss },
  });
}
