/**
 * G1: whether no row has this tick. The caller has locked the schedule. A unique key cannot hold over partitions; a tick after
 * the latest one with a row needs no look at the rows. Others come after the clock or the schedule was set back. A tick is
 * queued after its instant; the day is a margin for steps of the clock.
 * @param scheduleId, tick SQL
 */
export function isNewTick(scheduleId: string, tick: string): string {
  return `(${tick} > ALL (
      SELECT claimed_through FROM schedule_sessions WHERE id = ${scheduleId} AND claimed_through IS NOT NULL)
    OR NOT EXISTS (SELECT FROM schedule_execution_logs former
      WHERE former.schedule_session_id = ${scheduleId} AND former.scheduled_for = ${tick}
        AND former.queued_at > ${tick} - interval '1 day'))`;
}
