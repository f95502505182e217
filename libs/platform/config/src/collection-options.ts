import { z } from 'zod';

const count = z.int().min(1);
const threads = z.int().min(0);

const hnsw = z.strictObject({
  m: z.int().min(0).optional(),
  ef_construct: z.int().min(4).optional(),
  full_scan_threshold: z.int().min(10).optional(),
  max_indexing_threads: threads.optional(),
  on_disk: z.boolean().optional(),
  payload_m: z.int().min(0).optional(),
});

const always_ram = z.boolean().optional();
const quantization = z.union([
  z.strictObject({
    scalar: z.strictObject({
      type: z.literal('int8'),
      quantile: z.number().min(0.5).max(1).optional(),
      always_ram,
    }),
  }),
  z.strictObject({
    product: z.strictObject({ compression: z.enum(['x4', 'x8', 'x16', 'x32', 'x64']), always_ram }),
  }),
  z.strictObject({ binary: z.strictObject({ always_ram }) }),
]);

/**
 * What an operator may decide about Qdrant's collections, with the names and limits of Qdrant's "create collection". What
 * Repotide relies on is left out: length, distance and data type of the vectors.
 */
const collectionOptions = z.strictObject({
  shard_number: count.optional(),
  replication_factor: count.optional(),
  write_consistency_factor: count.optional(),
  on_disk_payload: z.boolean().optional(),
  vectors: z.strictObject({ on_disk: z.boolean().optional() }).optional(),
  hnsw_config: hnsw.optional(),
  quantization_config: quantization.optional(),
  optimizers_config: z
    .strictObject({
      default_segment_number: z.int().min(0).optional(),
      indexing_threshold: z.int().min(0).optional(),
      max_segment_size: count.optional(),
      max_optimization_threads: threads.optional(),
    })
    .optional(),
  /** Of the payload index on `repository_id`. Qdrant stores the points of one tenant together. */
  is_tenant: z.boolean().optional(),
});

export type CollectionOptions = z.output<typeof collectionOptions>;

/** @throws ZodError, SyntaxError */
export function parseCollectionOptions(text: string): CollectionOptions {
  return collectionOptions.parse(JSON.parse(text));
}

/** Names the first wrong field; null: the text is valid. */
export function problemOfCollectionOptions(text: string): string | null {
  try {
    parseCollectionOptions(text);
    return null;
  } catch (error) {
    if (!(error instanceof z.ZodError)) return 'is not JSON';
    const { path = [], message = '' } = error.issues[0] ?? {};
    return [path.join('.'), message].filter((part) => part !== '').join(': ');
  }
}
