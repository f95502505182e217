/**
 * The points of the collection $1 that have one of the distinct ids $2, each by the primary key. A plain join is worse: for more
 * than some 150 ids PostgreSQL reads the whole table, and applies another condition on the text to all of it (300 ms for 20,000
 * points instead of 5). With `id = ANY($2)` it walks through all of `vector_points_file_idx` until the table's first ANALYZE.
 */
export const POINTS_OF_IDS = `unnest($2::uuid[]) AS wanted (point_id) CROSS JOIN LATERAL
    (SELECT * FROM vector_points WHERE collection = $1 AND id = point_id LIMIT 1) AS point`;
