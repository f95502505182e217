import { type GateQuestion, type GateVerdict, type SearchGate } from '@core/domain';
import { type Database, type Queryable } from '../sql/database.js';

/** The gates of collections, and how rebuilt indexes did there. */
export class SearchGates {
  constructor(private readonly db: Database) {}

  find(collectionName: string): Promise<SearchGate | null> {
    return this.db.first('SELECT * FROM search_gates WHERE collection_name = $1', [collectionName]);
  }

  /** A changed gate judges a rebuilt index again. Safe to repeat. */
  put(
    collectionName: string,
    gate: { questions: readonly GateQuestion[]; maxLoss: number; updatedBy: string | null },
  ): Promise<SearchGate> {
    return this.db.one(
      `INSERT INTO search_gates (collection_name, questions, max_loss, updated_by) VALUES ($1, $2::jsonb, $3, $4)
        ON CONFLICT (collection_name) DO UPDATE SET questions = excluded.questions, max_loss = excluded.max_loss,
          id = excluded.id, updated_by = excluded.updated_by, updated_at = clock_timestamp()
        RETURNING *`,
      [collectionName, JSON.stringify(gate.questions), gate.maxLoss, gate.updatedBy],
    );
  }

  /** Safe to repeat. */
  async remove(collectionName: string): Promise<void> {
    await this.db.query(`DELETE FROM search_gates WHERE collection_name = $1`, [collectionName]);
  }

  /** Null: it was not judged by the gate as it is now. */
  verdictOf(generationId: string): Promise<GateVerdict | null> {
    return this.db.first(
      `SELECT v.* FROM search_gate_verdicts v JOIN index_generations i ON i.id = v.generation_id
        JOIN search_gates g ON g.collection_name = i.collection_name AND g.id = v.gate_id
        WHERE v.generation_id = $1`,
      [generationId],
    );
  }

  async record(verdict: Omit<GateVerdict, 'judgedAt'>): Promise<void> {
    const { generationId, gateId, isPassed, questions, activeNdcg, buildingNdcg } = verdict;
    await this.db.query(
      `INSERT INTO search_gate_verdicts (generation_id, gate_id, is_passed, questions, active_ndcg, building_ndcg)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (generation_id) DO UPDATE SET gate_id = excluded.gate_id, is_passed = excluded.is_passed, questions = excluded.questions,
          active_ndcg = excluded.active_ndcg, building_ndcg = excluded.building_ndcg, judged_at = clock_timestamp()`,
      [generationId, gateId, isPassed, questions, activeNdcg, buildingNdcg],
    );
  }
}

/** Whether the collection has a gate that the generation has not passed. */
export function isKeptBack(
  db: Queryable,
  { id, collectionName }: { id: string; collectionName: string },
): Promise<boolean> {
  return db.has(
    `SELECT FROM search_gates g WHERE g.collection_name = $1 AND NOT EXISTS (
      SELECT FROM search_gate_verdicts v
        WHERE v.generation_id = $2 AND v.is_passed AND v.gate_id = g.id)`,
    [collectionName, id],
  );
}
